/**
 * Every reason for which a saved run is not continued or copied: a closed set, so that callers can switch over it.
 *
 * The order is the order of the checks: the status first, then the identity. The first one that fails is the answer.
 */
export const REFUSAL_CODES = [
  'status-missing',
  'status-empty',
  'status-unknown',
  'status-running',
  'status-failed',
  'status-interrupted',
  'owner',
  'workspace',
  'persona',
  'kind',
  'model',
  'effort',
  'tool-scope',
  'tool-schema',
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]
export type StatusCode = Extract<RefusalCode, `status-${string}`>

/**
 * Why a saved run was not admitted. Use `code` to decide and `advice` to tell a person; it is data, never thrown.
 *
 * `found` is the value in the metadata (null when there is none), `wanted` the value that would have been admitted.
 */
export type Refusal = Readonly<{ code: RefusalCode; ref: string; found: unknown; wanted: unknown; advice: string }>

const KEPT = 'Start a fresh run instead; the files of this one are kept for diagnosis.'

/** What is wrong, and what to do, per code. Total: a new code does not compile until it has its sentence. */
const ADVICE: Readonly<Record<RefusalCode, string>> = {
  'status-missing': `has no status, so nothing says that it ended well. ${KEPT}`,
  'status-empty': `has an empty status, so nothing says that it ended well. ${KEPT}`,
  'status-unknown': `has a status that this version does not know. ${KEPT}`,
  'status-running': 'is still in progress. Wait until it ends; after a crash, mark it interrupted and start a fresh run.',
  'status-failed': `failed and cannot be continued or copied. ${KEPT}`,
  'status-interrupted': `was interrupted by a shutdown or crash and cannot be continued or copied. ${KEPT}`,
  owner: 'belongs to another session, or to none. Continue it from its owner, or from a session that descends from it.',
  workspace: 'was made in another workspace. Open that workspace, or start a fresh run in this one.',
  persona: 'was made with another system prompt. Start a fresh run to use the current persona.',
  kind: 'is of another kind or name. Use the same kind and name as the saved run, or start a fresh run.',
  model: 'was made with another model. Use the model of the saved run, or start a fresh run.',
  effort: 'was made with another effort. Use the effort of the saved run, or start a fresh run.',
  'tool-scope': 'was made with another tool scope (the order counts). Offer the same tools, or start a fresh run.',
  'tool-schema': 'was made with other tool schemas. Start a fresh run to use the current tools.',
}

/** Builds a refusal with the sentence of its code, or with `advice` where a route knows better what to do. */
export const refusal = (
  code: RefusalCode,
  ref: string,
  found: unknown,
  wanted: unknown,
  advice: string = ADVICE[code],
): Refusal =>
  Object.freeze({ code, ref, found: found ?? null, wanted: wanted ?? null, advice: `Run ${JSON.stringify(ref)} ${advice}` })

/** True when the run was refused for its status, before its identity was looked at. */
export const isStatusRefusal = (refused: Refusal): boolean => refused.code.startsWith('status-')
