import type { Program } from './program.ts'

/** The databases the library speaks. */
export type Dialect = 'sqlite' | 'postgres'

/** A session that answers at once (better-sqlite3). */
export interface SyncSession {
  readonly dialect: Dialect
  readonly mode: 'sync'
  /**
   * Runs a program to its end, once: make a new program for every run.
   *
   * Throws MergelawError, or what the program itself threw. A transaction left open is rolled back and reported ('usage').
   */
  run<T>(program: Program<T>): T
}

/** A session that answers later (pg). */
export interface AsyncSession {
  readonly dialect: Dialect
  readonly mode: 'async'
  /** Runs a program to its end on one connection. Rejects like a SyncSession throws. */
  run<T>(program: Program<T>): Promise<T>
}

export type Session = SyncSession | AsyncSession

/** What `session.run` gives for a session of type S: the value itself, or a promise of it. */
export type Ran<S extends Session, T> = S extends SyncSession ? T : S extends AsyncSession ? Promise<T> : T | Promise<T>

/** Runs a program and keeps the session's own mode in the type. */
export const run = <S extends Session, T>(session: S, program: Program<T>): Ran<S, T> =>
  // The conditional type cannot be narrowed by the union's members; both of them return exactly Ran<S, T>.
  session.run(program) as Ran<S, T>
