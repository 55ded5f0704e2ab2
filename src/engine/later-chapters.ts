// The verbs of a browser's worker. The verbs that most pages use are there from the start. Each later chapter has a
// file of its own, which is loaded at the first call of one of its verbs. Kinds, ports and services of all chapters
// are there from the start, so that the worker accepts records of every kind without a load.
// Invariant: later-verb.ts lists the facts of each later verb (id, methods, effect, whether a task may repeat it) as
// its chapter declares them.
import { bundleBase } from '../bundle/backup/backup-kind.ts'
import { inboxBase } from '../commons/inbox/inbox-base.ts'
import { poolBase } from '../commons/pool/pool-base.ts'
import { room } from '../commons/room/room.ts'
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import type { Chapter, ChapterBase } from '../core/capability/chapter.ts'
import { createKinds } from '../core/kind.ts'
import { loadPart } from '../core/load-part.ts'
import type { Scheduler } from '../core/ports.ts'
import { checkpointBase } from '../memory/checkpoint/checkpoint-kind.ts'
import { consentBase } from '../memory/consent/consent-base.ts'
import { continuityBase } from '../memory/continuity/continuity-base.ts'
import { conversationBase } from '../memory/conversation/conversation-base.ts'
import { documentBase } from '../memory/document/document-kind.ts'
import { kstar } from '../memory/kstar/kstar.ts'
import { mark } from '../memory/mark/mark.ts'
import { recall } from '../recall/recall-capability.ts'
import { trustBase } from '../trust/trust-base.ts'
import { engineChapter } from './engine-chapter.ts'
import { type LaterName, laterVerbs } from './later-verb.ts'
import { notLoaded, portsOf, unknownVerb, type VerbFacts, type VerbTable } from './verb-table.ts'

type Load = () => Promise<readonly AnyCapability[]>

export interface LaterChapter extends ChapterBase<LaterName> {
  readonly load: Load
}

const later = (base: ChapterBase<LaterName>, load: Load): LaterChapter => ({ ...base, load })

/** The same order as in capability-table.ts. */
export const chapterList: readonly (Chapter | LaterChapter)[] = [
  kstar,
  mark,
  later(trustBase, async () => (await import('../trust/trust.ts')).trust.capabilities),
  later(
    conversationBase,
    async () => (await import('../memory/conversation/conversation.ts')).conversation.capabilities,
  ),
  later(consentBase, async () => (await import('../memory/consent/consent.ts')).consent.capabilities),
  later(
    continuityBase,
    async () => (await import('../memory/continuity/continuity.ts')).continuity.capabilities,
  ),
  later(documentBase, async () => (await import('../memory/document/document.ts')).document.capabilities),
  later(
    checkpointBase,
    async () => (await import('../memory/checkpoint/checkpoint.ts')).checkpoint.capabilities,
  ),
  recall,
  later(
    { name: 'recall explain', kinds: [] },
    async () => (await import('../recall/explain/explain-capability.ts')).recallExplain.capabilities,
  ),
  later(
    { name: 'remember', kinds: [] },
    async () => (await import('./remember-chapter.ts')).rememberChapter.capabilities,
  ),
  later(bundleBase, async () => (await import('../bundle/bundle.ts')).bundle.capabilities),
  later(
    { name: 'archive', kinds: [] },
    async () => (await import('../bundle/archive.ts')).archive.capabilities,
  ),
  room,
  later(poolBase, async () => (await import('../commons/pool/pool.ts')).pool.capabilities),
  later(inboxBase, async () => (await import('../commons/inbox/inbox.ts')).inbox.capabilities),
  later(
    { name: 'file import', kinds: [] },
    async () => (await import('../bundle/bundle.ts')).fileImport.capabilities,
  ),
  later({ name: 'sync', kinds: [] }, async () => (await import('../sync/sync-chapter.ts')).sync.capabilities),
  later({ name: 'log', kinds: [] }, async () => (await import('./log-chapter.ts')).logChapter.capabilities),
  engineChapter,
]

/** A verb table whose later chapters are loaded when needed. `factsOf` returns the facts of one verb. */
export interface LaterTable extends VerbTable {
  readonly chapters: readonly (Chapter | LaterChapter)[]
  factsOf(id: string): VerbFacts | undefined
  /** Loads recall and one chapter after another, for a page that loses its connection. Ends at a failed load. */
  loadAll(): Promise<void>
}

export function createLaterTable(
  chapters: readonly (Chapter | LaterChapter)[],
  scheduler: Pick<Scheduler, 'later'>,
): LaterTable {
  const loaded = new Map<string, AnyCapability>()
  const facts = new Map<string, VerbFacts>()
  const chapterOf = new Map<string, LaterChapter>()
  const loading = new Map<LaterChapter, Promise<void>>()
  for (const chapter of chapters) {
    const verbs: readonly VerbFacts[] = 'load' in chapter ? laterVerbs[chapter.name] : chapter.capabilities
    for (const verb of verbs) facts.set(verb.id, verb)
    if ('load' in chapter) for (const { id } of verbs) chapterOf.set(id, chapter)
    else for (const verb of chapter.capabilities) loaded.set(verb.id, verb)
  }

  const load = (chapter: LaterChapter): Promise<void> => {
    const { name } = chapter
    const missing = { message: `The verbs of ${name} could not be loaded.`, details: { chapter: name } }
    const addVerbs = async () => {
      for (const verb of await chapter.load()) loaded.set(verb.id, verb)
    }
    return loadPart(addVerbs, missing, scheduler).catch((error: unknown) => {
      // The next call tries again.
      loading.delete(chapter)
      throw error
    })
  }
  const loadOnce = (chapter: LaterChapter): Promise<void> => {
    const running = loading.get(chapter) ?? load(chapter)
    loading.set(chapter, running)
    return running
  }
  const trust = chapters.filter(({ name }) => name === 'trust')
  return {
    // The kinds of `trust` come first: exports and counts list tokens and keys first.
    kinds: createKinds(
      [...trust, ...chapters.filter(({ name }) => name !== 'trust')].flatMap((chapter) => chapter.kinds),
    ),
    chapters,
    ports: portsOf(chapters),
    facts: [...facts.values()],
    factsOf: (id) => facts.get(id),
    effectOf: (id): CapabilityEffect | undefined => facts.get(id)?.effect,
    find(id) {
      const verb = loaded.get(id)
      if (verb) return verb
      throw facts.has(id) ? notLoaded(id) : unknownVerb(id, facts.keys())
    },
    load(id) {
      const chapter = loaded.has(id) ? undefined : chapterOf.get(id)
      return chapter && loadOnce(chapter)
    },
    async loadAll() {
      try {
        await import('../recall/recall-part.ts')
        await import('../recall/whole/whole.ts')
        for (const chapter of new Set(chapterOf.values())) await loadOnce(chapter)
      } catch {
        // The next call of one of its verbs tries again, and answers with the error.
      }
    },
  }
}
