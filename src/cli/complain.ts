/** On a terminal a progress line may stand there; it gives way. */
const CLEAR = process.stderr.isTTY ? '\r\x1b[K' : ''

/** Says one thing to people, on stderr, in one line whatever the text holds. */
export const complain = (text: string): void => void process.stderr.write(`${CLEAR}${text.replaceAll(/\s*[\r\n]+\s*/g, ' ')}\n`)
