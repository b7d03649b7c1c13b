import { describe, expect, it } from 'vitest'
import { progressLine } from '../../src/util/progress-line.ts'

describe('record --batch: the progress bar', () => {
  it('batches: share, frames, rows, pace and the time that is left', () => {
    const done = { frames: 12_345, rows: 2_057, bytes: 4_200 }
    expect(progressLine(done, 10, 10_000)).toBe(
      '[########------------] 42 %  12,345 frames  2,057 rows  1,235 frames/s  0:14 left',
    )
  })

  it('batches: of an input whose size is not known, no share and no time left', () => {
    expect(progressLine({ frames: 5, rows: 5, bytes: 4_200 }, 1, undefined)).toBe('5 frames  5 rows  5 frames/s')
  })

  it('batches: hours, an end that is reached, and a file that grew meanwhile', () => {
    expect(progressLine({ frames: 1, rows: 1, bytes: 1 }, 10, 1_000)).toContain('2:46:30 left')
    expect(progressLine({ frames: 1, rows: 1, bytes: 1_000 }, 10, 1_000)).toContain('[####################] 100 %')
    expect(progressLine({ frames: 1, rows: 1, bytes: 2_000 }, 10, 1_000)).toContain(
      '100 %  1 frames  1 rows  0 frames/s  0:00 left',
    )
  })
})
