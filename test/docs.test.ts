import { expect, it } from 'vitest'
import { rulesDoc, writtenRulesDoc } from '../scripts/rules-doc.ts'

// Catches: a page that claims a law or shows a statement the code no longer has.
it('docs: docs/rules.md is what the rules say; npm run docs writes it', () => {
  expect(writtenRulesDoc()).toBe(rulesDoc())
})
