// Types of the answers of seed shapes, for verbs whose answer differs from the capability's.
import type { CapabilityOutput } from '../../book/daybook.ts'

type StoredAs<Name extends string> = { readonly [Field in Name | 'stored_at']: string }
type Schema = CapabilityOutput<'kstar:register_schema'>
/** The shapes of KS2.2 answer an error as `{ error }`. */
type OrFailure<Answer> = Answer | { readonly error: string }

interface Bundle {
  /** A text if the bundle is encrypted. */
  readonly bundle: Readonly<Record<string, unknown>> | string
}

interface Imported {
  readonly imported_count: number
  readonly updated: number
  readonly unchanged: number
  readonly forgotten: number
  readonly conflicts: readonly unknown[]
  readonly tokens_skipped?: number
}

interface Matured {
  readonly skill_id: string
  readonly maturity: CapabilityOutput<'kstar:update_skill_maturity'>['maturity']
}

/** Types of answers by the id of the verb. */
export interface SeedAnswers {
  'kstar:store_trace': StoredAs<'trace_id'>
  'kstar:query_traces': CapabilityOutput<'kstar:query_traces'>['records']
  'kstar:search_traces': CapabilityOutput<'kstar:search_traces'>['records']
  'kstar:store_perception': StoredAs<'perception_id'>
  'kstar:get_perceptions': CapabilityOutput<'kstar:get_perceptions'>['records']
  'kstar:query_perceptions': CapabilityOutput<'kstar:query_perceptions'>['records']
  'kstar:update_perception': { readonly updated: boolean }
  'kstar:store_fact': StoredAs<'fact_id'>
  'kstar:get_facts': CapabilityOutput<'kstar:get_facts'>['records']
  'kstar:query_facts': CapabilityOutput<'kstar:query_facts'>['records']
  'kstar:store_skill': StoredAs<'skill_id'>
  'kstar:update_skill_maturity': Matured
  'kstar:update_skill': Matured
  'kstar:register_schema': Schema | { readonly registered: readonly Schema[] }
  'kstar:register_schemas': Schema | { readonly registered: readonly Schema[] }
  'kstar:query_memory': CapabilityOutput<'kstar:query_memory'>['records']
  'kstar:store_control_token': { readonly token_id: string; readonly bearer?: string }
  'kstar:get_token_lineage': CapabilityOutput<'kstar:get_token_lineage'>['tokens']
  'kstar:list_tokens_by_type': CapabilityOutput<'kstar:list_tokens_by_type'>['tokens']
  'kstar:export_bundle': Bundle
  'kstar:export_memory': Bundle
  'kstar:import_bundle': Imported
  'kstar:import_memory': Imported
  'kstar:sync': CapabilityOutput<'daybook:sync'>
  'kstar:get_sync_state': { readonly last_sync_timestamp: string | null }
  'kstar:get_stats': Omit<CapabilityOutput<'kstar:get_stats'>, 'dateRange'> & {
    readonly date_range: CapabilityOutput<'kstar:get_stats'>['dateRange']
    readonly trace_count: number
    readonly perception_count: number
    readonly fact_count: number
    readonly skill_count: number
  }
  'ks:store': OrFailure<CapabilityOutput<'ks:store'>>
  'ks:recall': OrFailure<CapabilityOutput<'ks:recall'>>
  'ks:update_profile': OrFailure<
    Omit<CapabilityOutput<'ks:update_profile'>, 'profilesUpdated'> & { readonly profiles_updated: number }
  >
  'ks:archive_episode': OrFailure<
    Omit<CapabilityOutput<'ks:archive_episode'>, 'episodeId'> & { readonly episode_id?: string }
  >
  'embed:texts': OrFailure<CapabilityOutput<'embed:texts'>>
}
