// The face of each kind of record.
import { EmptyBook } from './empty-book.tsx'
import { EmptyEpisodes, EmptyMessages, EmptyProfiles } from './conversation/empty-conversation.tsx'
import {
  EmptyCategories,
  EmptyFacts,
  EmptyPerceptions,
  EmptySchemas,
  EmptySkills,
} from './kstar/empty-kstar.tsx'
import { EmptyTokens, EmptyTokenTypes } from './token/empty-token.tsx'
import { EmptyPoolFacts } from './pool/empty-pool-facts.tsx'
import { NoPoolList } from './pool/pool-sections.tsx'
import { RegisterSchema } from './kstar/schema-act.tsx'
import { GrantToken } from './token/token-act.tsx'
import { EmptyThoughts } from './continuity/thought-sections.tsx'
import type { Face } from './face.ts'

const faces: Readonly<Record<string, Face>> = {
  trace: { Empty: EmptyBook },
  trace_category: { Empty: EmptyCategories },
  fact: { Empty: EmptyFacts },
  fact_schema: { Empty: EmptySchemas, Tools: RegisterSchema },
  episode: { Empty: EmptyEpisodes },
  message: { Empty: EmptyMessages },
  profile: { Empty: EmptyProfiles },
  perception: { Empty: EmptyPerceptions },
  token: { Empty: EmptyTokens, Tools: GrantToken },
  token_type: { Empty: EmptyTokenTypes },
  thought: { Empty: EmptyThoughts },
  pool_fact: { Empty: EmptyPoolFacts },
  pool_proposal: { Empty: NoPoolList },
  pool_ballot: { Empty: NoPoolList },
  pool_decision: { Empty: NoPoolList },
  pool_claw: { Empty: NoPoolList },
  skill: { Empty: EmptySkills },
}

export function faceOf(kind: string): Face {
  const face = faces[kind]
  if (!face) throw new Error(`There is no face for the kind ${kind}.`)
  return face
}
