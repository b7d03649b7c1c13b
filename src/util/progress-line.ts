/** How far the work is. */
export interface Done {
  readonly frames: number
  /** Rows written to the database: fewer than frames, where several were merged before. */
  readonly rows: number
  readonly bytes: number
}

const BAR = 20

/** `[########------------] 42 %  12,345 frames  2,057 rows  50,123 frames/s  0:12 left`; of an unknown size, no bar and no time left. */
export const progressLine = ({ frames, rows, bytes }: Done, seconds: number, size: number | undefined): string => {
  const count = (value: number, what: string): string => `${Math.round(value).toLocaleString('en')} ${what}`
  const pace = count(seconds > 0 ? frames / seconds : 0, 'frames/s')
  const counted = [count(frames, 'frames'), count(rows, 'rows'), pace].join('  ')
  if (size === undefined || size === 0) return counted
  const share = Math.min(1, bytes / size)
  const bar = '#'.repeat(Math.floor(share * BAR)).padEnd(BAR, '-')
  const left = share > 0 ? `  ${clock((seconds / share) * (1 - share))} left` : ''
  return `[${bar}] ${Math.floor(share * 100)} %  ${counted}${left}`
}

const clock = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const minutes = Math.floor(whole / 60)
  const two = (value: number): string => String(value).padStart(2, '0')
  return minutes < 60 ? `${minutes}:${two(whole % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`
}
