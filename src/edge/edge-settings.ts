// The settings of an edge by name, and what is said of those that are none: a name misspelt would be a setting not made.
import { type OptionTable, optionsOf, textOption } from '../core/option/option-check.ts'
import { toDaybookError } from '../core/errors.ts'
import type { EdgeEnv } from './edge-env.ts'

/** What is set by a text. The others are bindings of a platform. */
type Settings = Omit<EdgeEnv, 'MIRROR' | 'RATE_LIMIT' | 'AI' | 'ARCHIVE'>

const setting = textOption(100_000)

/** A line for each setting. What its text may be is looked at where it is read. */
export const edgeSettingTable: OptionTable<Settings> = {
  DAYBOOK_KEY: setting,
  DAYBOOK_JWKS_URL: setting,
  DAYBOOK_JWT_ISSUER: setting,
  DAYBOOK_JWT_AUDIENCE: setting,
  DAYBOOK_JWT_ALGORITHMS: setting,
  DAYBOOK_JWT_BOOK: setting,
  DAYBOOK_RATE: setting,
  DAYBOOK_GUEST_QUOTA: setting,
  DAYBOOK_GUESTS_QUOTA: setting,
  DAYBOOK_DID: setting,
  DAYBOOK_A2P_AUDIENCE: setting,
  DAYBOOK_A2P_RATE: setting,
  DAYBOOK_BOOK: setting,
  DAYBOOK_EMBED_KEY: setting,
  DAYBOOK_EMBED_URL: setting,
  DAYBOOK_EMBED_MODEL: setting,
  DAYBOOK_EMBED_PROVIDER: setting,
  DAYBOOK_EMBED_RECORDS: setting,
  DAYBOOK_LLM_MODEL: setting,
  DAYBOOK_LLM_URL: setting,
  DAYBOOK_LLM_KEY: setting,
  DAYBOOK_ARCHIVE_EVERY: setting,
  DAYBOOK_ARCHIVE_PREFIX: setting,
  DAYBOOK_ARCHIVE_KEEP: setting,
  DAYBOOK_ARCHIVE_DAYS: setting,
  DAYBOOK_ORIGINS: setting,
}
const check = optionsOf(edgeSettingTable)

/**
 * What to say of the names in `env` that look like settings of Daybook and are none, never what they are set to. A deployment
 * may have variables of its own, so they are no reason not to answer.
 */
export function settingFaults(env: object): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('DAYBOOK_') && !(name in edgeSettingTable))
    .map((name) => {
      try {
        check({ [name]: 'set' }, '')
        return name
      } catch (error) {
        return toDaybookError(error).message
      }
    })
}
