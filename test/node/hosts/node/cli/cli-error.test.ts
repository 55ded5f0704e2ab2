// Errors in the words of the command line.
import { expect, it } from 'vitest'
import { DaybookError, invalidInput } from '../../../../../src/core/errors.ts'
import { cliMessage } from '../../../../../src/hosts/node/cli/cli-error.ts'
import { exportMemory } from '../../../../../src/hosts/node/cli/export-memory.ts'
import { importMemory } from '../../../../../src/hosts/node/cli/import-memory.ts'
import { storeRecord } from '../../../../../src/hosts/node/cli/record-commands.ts'
import { serveMirrors } from '../../../../../src/hosts/node/cli/serve-mirrors.ts'
import { syncMemory } from '../../../../../src/hosts/node/cli/sync-memory.ts'
import { verifyBundle } from '../../../../../src/hosts/node/cli/verify-bundle.ts'

const again = 'Correct it, and run the command again.'

it('names the options of the command', () => {
  expect(cliMessage(invalidInput('from', 'is later than `to`'), exportMemory)).toBe(
    `--from is later than --to. ${again}`,
  )
  expect(cliMessage(invalidInput('file', 'The format is unknown; set `format`'), importMemory)).toBe(
    `\`file\`: The format is unknown; set --format. ${again}`,
  )
  expect(cliMessage(invalidInput('database', 'is wrong'), serveMirrors)).toBe(
    `$DAYBOOK_DATABASE_URL is wrong. ${again}`,
  )
})

it('leaves fields of a record as they are', () => {
  expect(cliMessage(invalidInput('replace', 'is wrong'), storeRecord)).toBe(`\`replace\` is wrong. ${again}`)
})

it('does not say that a verified bundle was not imported', () => {
  const error = new DaybookError('invalid-file', 'The checksum is wrong.', { details: { path: 'integrity' } })
  expect(cliMessage(error, verifyBundle)).toBe('The checksum is wrong. See `integrity`.')
  expect(cliMessage(error, importMemory)).toBe(
    'The checksum is wrong. See `integrity`. Nothing was imported.',
  )
})

it('writes the values of details', () => {
  const details = { allow: 'GET', retryAfterMs: 1500 }
  expect(cliMessage(new DaybookError('rate-limited', undefined, { details }), syncMemory)).toContain(
    'Wait 1500, then',
  )
})

it('says which program to quit', () => {
  expect(cliMessage(new DaybookError('open-elsewhere'), syncMemory)).toBe(
    'Another process has this book open. `daybook sync` needs the memory for itself. Quit the other program, such as a host that runs `daybook mcp`, and run the command again.',
  )
})
