/** On a terminal a progress line may stand there; it gives way. */
const CLEAR = process.stderr.isTTY ? '\r\x1b[K' : ''

/** Says one thing to people, on stderr, in one line whatever the text holds: parts of it may be somebody's data. */
export const complain = (text: string): void =>
  void process.stderr.write(`${CLEAR}${text.replaceAll(/\s*[\p{Cc}\u2028\u2029]+\s*/gu, ' ')}\n`)

/** A file of other frames alone is legal, and hardly ever what was meant. */
export const complainOfIgnored = ({ attempted, ignored }: { readonly attempted: number; readonly ignored: number }): void => {
  if (attempted === 0 && ignored > 0) complain(`no line of ${ignored} is a frame of a subagent; is this the right file?`)
}
