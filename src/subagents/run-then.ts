import type { Program } from '../adapters/program.ts'
import type { Ran, Session } from '../adapters/session.ts'

/** A value as an answer of the session: itself, or a promise of it. */
export const answerNow = <S extends Session, T>(session: S, value: T): Ran<S, T> =>
  // Both arms are exactly Ran<S, T>; the compiler cannot follow the mode into a conditional type.
  (session.mode === 'sync' ? value : Promise.resolve(value)) as Ran<S, T>

/** Runs a program and answers with `done` or `broken`, in the session's own mode; nothing is thrown and no promise rejects. */
export const runThen = <S extends Session, R, T>(
  session: S,
  program: () => Program<R>,
  done: (result: R) => T,
  broken: (error: unknown) => T,
): Ran<S, T> => {
  const later = async (run: Extract<Session, { mode: 'async' }>): Promise<T> => {
    let result: R
    try {
      result = await run.run(program())
    } catch (error) {
      return broken(error)
    }
    return done(result)
  }
  const now = (run: Extract<Session, { mode: 'sync' }>): T => {
    let result: R
    try {
      result = run.run(program())
    } catch (error) {
      return broken(error)
    }
    return done(result)
  }
  // As in answerNow.
  return (session.mode === 'sync' ? now(session) : later(session)) as Ran<S, T>
}
