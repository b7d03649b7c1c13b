/**
 * Waits for whatever a caller's function answered, and forgets how it ended; never rejects.
 *
 * `await` looks at the promise itself, so one of another realm, or with a `catch` of its own, is caught as well.
 */
export const settled = async (answer: unknown): Promise<void> => {
  try {
    await answer
  } catch {
    // A promise that nobody waits for would otherwise end the process.
  }
}
