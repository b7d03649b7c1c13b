import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { MergelawError } from '../errors/index.ts'
import { type Fields, malformed, readJsonObject, writeJson } from './json.ts'
import { checkSessionId, quoted } from './names.ts'

const text = t.union([t.string, t.null, t.undefined], 'a string or null')
const list = t.union([t.array(t.string), t.null, t.undefined], 'a list of strings or null')

/** The known fields. `status` takes every value: the decision must see it, whatever it is. Unknown fields are let through. */
const metaCodec = t.partial({
  ref: text,
  status: t.unknown,
  kind: text,
  name: text,
  workspaceRoot: text,
  parentSession: text,
  parentToolCallId: text,
  forkedFrom: text,
  systemPromptHash: text,
  toolScope: list,
  toolSchemaHash: text,
  model: text,
  effort: text,
  createdAt: text,
  updatedAt: text,
})

/** The metadata of a saved run, as read: known fields checked, unknown fields beside them. An absent field is null or missing. */
export type RunMeta = Readonly<t.TypeOf<typeof metaCodec>> & Readonly<Record<string, unknown>>

/** What the contract says about a record, as text; `updatedAt` and unknown fields are left out. Equal text: nothing was altered. */
export const contractOf = (fields: Fields): string => writeJson(KNOWN_FIELDS.map((name) => [name, fields[name] ?? null]))

const KNOWN_FIELDS: readonly string[] = Object.keys(metaCodec.props).filter((name) => name !== 'updatedAt')

const expectationCodec = t.type({
  kind: t.string,
  name: t.string,
  workspaceRoot: t.string,
  parentSession: t.string,
  systemPromptHash: t.string,
  toolScope: t.array(t.string),
  toolSchemaHash: t.string,
  model: t.string,
  effort: t.string,
})

/** Who wants to continue: the identity of the run that would be prepared now. All text is compared exactly. */
export type Expectation = Readonly<t.TypeOf<typeof expectationCodec>>

const branchCodec = t.type({ id: t.string, parentSession: text })

/** The place of a session in its lineage; `parentSession` is null for a first session. */
export type Branch = Readonly<{ id: string; parentSession: string | null }>

const shown = (value: unknown): string => (value === undefined ? 'missing' : quoted(value))

/** Names the first field that has the wrong type. */
function firstFault(errors: t.Errors): string {
  const [first] = errors
  const path = (first?.context ?? []).map(({ key }) => key).filter((key) => key !== '')
  const [field = 'it'] = path
  const wanted = field === 'toolScope' ? 'a list of strings' : 'a string'
  return `${quoted(field)} must be ${wanted}, but is ${shown(first?.context[1]?.actual)}`
}

/** Decodes the bytes of `REF.meta.json`. Throws `malformed-metadata`, which names the file; changes nothing. */
export function decodeMeta(bytes: Uint8Array, file: string, ref: string): Readonly<{ meta: RunMeta; fields: Fields }> {
  const { value, fields } = readJsonObject(bytes, file)
  const decoded = metaCodec.decode(value)
  if (E.isLeft(decoded)) throw malformed(file, firstFault(decoded.left))
  if (value['ref'] !== ref) throw malformed(file, `its "ref" is ${shown(value['ref'])}, not its file name`)
  // io-ts returns only the fields it knows in its type; the value is the same object, so the unknown ones are still there.
  return { meta: value as RunMeta, fields }
}

/** Decodes the bytes of `SESSION.branch.json`. Throws `malformed-metadata`. */
export function decodeBranch(bytes: Uint8Array, file: string): Branch {
  const decoded = branchCodec.decode(readJsonObject(bytes, file).value)
  if (E.isLeft(decoded)) throw malformed(file, firstFault(decoded.left))
  return { id: decoded.right.id, parentSession: decoded.right.parentSession || null }
}

/**
 * Checks an expectation that came from outside, and leaves out everything but its nine fields. Use it before `admit`.
 *
 * Throws `usage`, naming the field, when one is missing or of the wrong type, or when `parentSession` is not a bare name.
 */
export function decodeExpectation(value: unknown): Expectation {
  const decoded = expectationCodec.decode(value)
  if (E.isLeft(decoded)) throw new MergelawError('usage', `The expectation is not usable: ${firstFault(decoded.left)}`)
  checkSessionId(decoded.right.parentSession, 'parentSession')
  const { kind, name, workspaceRoot, parentSession, systemPromptHash, toolScope, toolSchemaHash, model, effort } = decoded.right
  // A list of its own: what the caller does to his afterwards must not reach a record.
  const ownScope = [...toolScope]
  Object.freeze(ownScope)
  return { kind, name, workspaceRoot, parentSession, systemPromptHash, toolScope: ownScope, toolSchemaHash, model, effort }
}
