// The kinds of record that the inspector shows. A new kind comes into the inspector by one declaration here and one face.
import { categoryKind } from './category-kind.ts'
import { episodeKind } from './episode-kind.ts'
import { factKind } from './fact-kind.ts'
import { withMarks } from './marked.ts'
import { messageKind } from './message-kind.ts'
import { perceptionKind } from './perception-kind.ts'
import { profileKind } from './profile-kind.ts'
import type { RecordKind } from './record-kind.ts'
import { schemaKind } from './schema-kind.ts'
import { skillKind } from './skill-kind.ts'
import { tokenKind } from './token-kind.ts'
import { tokenTypeKind } from './token-type-kind.ts'
import { traceKind } from './trace-kind.ts'

const declared: readonly RecordKind[] = [
  traceKind,
  categoryKind,
  factKind,
  schemaKind,
  perceptionKind,
  skillKind,
  messageKind,
  episodeKind,
  profileKind,
  tokenKind,
  tokenTypeKind,
]
const shownKinds = declared.map(withMarks)

export function kindOfView(view: string): RecordKind | undefined {
  return shownKinds.find((kind) => kind.view === view)
}

export function kindNamed(name: string): RecordKind | undefined {
  return shownKinds.find((kind) => kind.name === name)
}
