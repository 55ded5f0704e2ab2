// The kinds of record that the inspector shows. A new kind needs a declaration here and a face.
import { categoryKind, schemaKind } from './definition-kind.ts'
import { thoughtKind } from './thought-kind.ts'
import { episodeKind } from './episode-kind.ts'
import { factKind } from './fact-kind.ts'
import { withMarks } from './marked.ts'
import { messageKind } from './message-kind.ts'
import { perceptionKind } from './perception-kind.ts'
import {
  poolBallotKind,
  poolClawKind,
  poolDecisionKind,
  poolFactKind,
  poolProposalKind,
} from './pool/pool-kind.ts'
import { profileKind } from './profile-kind.ts'
import type { RecordKind } from './record-kind.ts'
import { skillKind } from './skill-kind.ts'
import { tokenKind, tokenTypeKind } from './token-kind.ts'
import { traceKind } from './trace-kind.ts'

/** Kinds of which a view lists the records. */
const listed: readonly RecordKind[] = [
  traceKind,
  categoryKind,
  factKind,
  schemaKind,
  perceptionKind,
  skillKind,
  messageKind,
  episodeKind,
  profileKind,
  thoughtKind,
  tokenKind,
  tokenTypeKind,
  poolFactKind,
].map(withMarks)

/** Kinds with a view of their own; their records are only in lists of all kinds. */
const unlisted: readonly RecordKind[] = [poolProposalKind, poolBallotKind, poolDecisionKind, poolClawKind]

export function kindOfView(view: string): RecordKind | undefined {
  return listed.find((kind) => kind.view === view)
}

export function kindNamed(name: string): RecordKind | undefined {
  return listed.find((kind) => kind.name === name) ?? unlisted.find((kind) => kind.name === name)
}
