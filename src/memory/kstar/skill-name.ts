// What a skill is known by. Invariant: names that read alike are one name: what is stored is in NFC, and so is the id.
import type { RecordName } from '../../core/put-request.ts'
import { nameId } from '../../core/text/name-id.ts'

export function skillId(name: string): string {
  return nameId('skill', name.normalize('NFC'))
}

/**
 * The records that a skill of this name can be: one under the id of its name, or one that was stored under another spelling
 * of it before names were in NFC.
 */
export function skillNames(name: string): readonly [RecordName, ...RecordName[]] {
  const one = (spelling: string): RecordName => ({
    kind: 'skill',
    id: nameId('skill', spelling),
    scopes: [`skill:${spelling}`],
  })
  const composed = name.normalize('NFC')
  const others = new Set([name, name.normalize('NFD')])
  others.delete(composed)
  return [one(composed), ...[...others].map(one)]
}
