/** The activation's parts that no entry of the package exports: the properties look at the live schema, and plant wrong steps. */
export { activateBy } from '../../src/subagents/activate.ts'
export { activationSteps, type StepDefinition } from '../../src/subagents/activation-steps.ts'
export { endStateOf, holds } from '../../src/subagents/end-state.ts'
export { insertKey, keyTextOf } from '../../src/subagents/keys.ts'
export { observe } from '../../src/subagents/observe.ts'
export { toInstant } from '../../src/util/instant.ts'
