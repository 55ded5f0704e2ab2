// Types of the answers of seed shapes, for verbs whose answer differs from the capability's.
import type { CapabilityOutput } from '../../book/daybook.ts'

type StoredAnswer<Name extends string> = { readonly [Field in Name | 'stored_at']: string }
type Schema = CapabilityOutput<'kstar:register_schema'>
/** The shapes of KS2.2 answer an error as `{ error }`. */
type OrErrorAnswer<Answer> = Answer | { readonly error: string }

interface ExportAnswer {
  /** A text if the bundle is encrypted. */
  readonly bundle: Readonly<Record<string, unknown>> | string
}

interface ImportAnswer {
  readonly imported_count: number
  readonly updated: number
  readonly unchanged: number
  readonly forgotten: number
  readonly conflicts: readonly unknown[]
  readonly tokens_skipped?: number
}

interface SkillMaturity {
  readonly skill_id: string
  readonly maturity: CapabilityOutput<'kstar:update_skill_maturity'>['maturity']
}

/** Types of answers by the id of the verb. */
export interface SeedAnswers {
  'kstar:store_trace': StoredAnswer<'trace_id'>
  'kstar:query_traces': CapabilityOutput<'kstar:query_traces'>['records']
  'kstar:search_traces': CapabilityOutput<'kstar:search_traces'>['records']
  'kstar:store_perception': StoredAnswer<'perception_id'>
  'kstar:get_perceptions': CapabilityOutput<'kstar:get_perceptions'>['records']
  'kstar:query_perceptions': CapabilityOutput<'kstar:query_perceptions'>['records']
  'kstar:update_perception': { readonly updated: boolean }
  'kstar:store_fact': StoredAnswer<'fact_id'>
  'kstar:get_facts': CapabilityOutput<'kstar:get_facts'>['records']
  'kstar:query_facts': CapabilityOutput<'kstar:query_facts'>['records']
  'kstar:store_skill': StoredAnswer<'skill_id'>
  'kstar:update_skill_maturity': SkillMaturity
  'kstar:update_skill': SkillMaturity
  'kstar:register_schema': Schema | { readonly registered: readonly Schema[] }
  'kstar:register_schemas': Schema | { readonly registered: readonly Schema[] }
  'kstar:query_memory': CapabilityOutput<'kstar:query_memory'>['records']
  'kstar:store_control_token': { readonly token_id: string; readonly bearer?: string }
  'kstar:get_token_lineage': CapabilityOutput<'kstar:get_token_lineage'>['tokens']
  'kstar:list_tokens_by_type': CapabilityOutput<'kstar:list_tokens_by_type'>['tokens']
  'kstar:export_bundle': ExportAnswer
  'kstar:export_memory': ExportAnswer
  'kstar:import_bundle': ImportAnswer
  'kstar:import_memory': ImportAnswer
  'kstar:sync': CapabilityOutput<'daybook:sync'>
  'kstar:get_sync_state': { readonly last_sync_timestamp: string | null }
  'kstar:get_stats': Omit<CapabilityOutput<'kstar:get_stats'>, 'dateRange'> & {
    readonly date_range: CapabilityOutput<'kstar:get_stats'>['dateRange']
    readonly trace_count: number
    readonly perception_count: number
    readonly fact_count: number
    readonly skill_count: number
  }
  'ks:store': OrErrorAnswer<CapabilityOutput<'ks:store'>>
  'ks:recall': OrErrorAnswer<CapabilityOutput<'ks:recall'>>
  'ks:update_profile': OrErrorAnswer<
    Omit<CapabilityOutput<'ks:update_profile'>, 'profilesUpdated'> & { readonly profiles_updated: number }
  >
  'ks:archive_episode': OrErrorAnswer<
    Omit<CapabilityOutput<'ks:archive_episode'>, 'episodeId'> & { readonly episode_id?: string }
  >
  'embed:texts': OrErrorAnswer<CapabilityOutput<'embed:texts'>>
}
