/** The ACP tool statuses after which a tool call is over (AC-11): exactly these six, spelled exactly so. */
export const TERMINAL_TOOL_STATUSES = ['complete', 'completed', 'success', 'error', 'failed', 'cancelled'] as const

const terminal: ReadonlySet<string> = new Set(TERMINAL_TOOL_STATUSES)

/**
 * True when this ACP tool status settles a row. Never ask it about an agent status: `async_launched` and its kin decide nothing
 * (AC-11).
 */
export const isTerminalToolStatus = (toolStatus: string | null): boolean => toolStatus !== null && terminal.has(toolStatus)
