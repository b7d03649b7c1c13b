/** What an error says. Node reports a refused connection to several addresses as one error with an empty message and a list. */
export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
