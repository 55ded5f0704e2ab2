// The services that the chapters bring, each given what it may work with.
import type { AnyCapability } from '../core/capability/capability.ts'
import type { Chapter } from '../core/capability/chapter.ts'
import type { ServiceParts } from '../core/capability/service.ts'
import { formatTime } from '../core/time.ts'
import { z } from 'zod'
import type { CallContexts } from './context/call-context.ts'
import type { Transact } from './context/transact.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { AccessTrail } from './service/access-audit.ts'

export interface ChapterServiceParts extends Omit<ServiceParts, 'write'> {
  readonly chapters: readonly Chapter[]
  readonly contexts: Pick<CallContexts, 'begin'>
  readonly transact: Transact
  readonly services: Lifecycle
}

const nobody = () => undefined
/** What a service does nobody has called for: there is no entry of it in the log of access. */
const untold: AccessTrail = { admitted: nobody, wrote: nobody, answered: nobody, failed: nobody }
const work: AnyCapability = {
  id: 'daybook:service',
  methods: [],
  summary: 'What a service of a chapter does by itself.',
  input: z.undefined(),
  output: z.unknown(),
  effect: 'write',
  uses: ['records', 'pool'],
  run: nobody,
}

export function addChapterServices({
  chapters,
  contexts,
  transact,
  services,
  ...parts
}: ChapterServiceParts) {
  const given: ServiceParts = {
    ...parts,
    write(todo) {
      const now = formatTime(parts.clock.now())
      const call = contexts.begin(work, undefined, { now, trail: untold }, {})
      return transact(call, todo)
    },
  }
  for (const { services: begin } of chapters)
    for (const service of begin?.(given) ?? []) services.add(service)
}
