// The face of each kind of record.
import { CategorySections } from './kstar/category-sections.tsx'
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
import { EpisodeSections } from './conversation/episode-sections.tsx'
import type { Face } from './face.ts'
import { FactSections } from './kstar/fact-sections.tsx'
import { MessageSections } from './conversation/message-sections.tsx'
import { EmptyPoolFacts } from './pool/empty-pool-facts.tsx'
import { PoolFactSections } from './pool/pool-fact-sections.tsx'
import { NoPoolList, PoolSections } from './pool/pool-sections.tsx'
import { PerceptionSections } from './kstar/perception-sections.tsx'
import { ProfileSections } from './conversation/profile-sections.tsx'
import { ChangeSchema, RegisterSchema } from './kstar/schema-act.tsx'
import { SchemaSections } from './kstar/schema-sections.tsx'
import { SkillSections } from './kstar/skill-sections.tsx'
import { GrantToken, TokenActs } from './token/token-act.tsx'
import { TokenSections } from './token/token-sections.tsx'
import { EmptyThoughts, ThoughtSections } from './continuity/thought-sections.tsx'
import { TokenTypeSections } from './token/token-type-sections.tsx'
import { TraceSections } from './kstar/trace-sections.tsx'

const faces: Readonly<Record<string, Face>> = {
  trace: { Sections: TraceSections, Empty: EmptyBook },
  trace_category: { Sections: CategorySections, Empty: EmptyCategories },
  fact: { Sections: FactSections, Empty: EmptyFacts },
  fact_schema: {
    Sections: SchemaSections,
    Empty: EmptySchemas,
    Tools: RegisterSchema,
    Acts: ChangeSchema,
  },
  episode: { Sections: EpisodeSections, Empty: EmptyEpisodes },
  message: { Sections: MessageSections, Empty: EmptyMessages },
  profile: { Sections: ProfileSections, Empty: EmptyProfiles },
  perception: { Sections: PerceptionSections, Empty: EmptyPerceptions },
  token: { Sections: TokenSections, Empty: EmptyTokens, Tools: GrantToken, Acts: TokenActs },
  token_type: { Sections: TokenTypeSections, Empty: EmptyTokenTypes },
  thought: { Sections: ThoughtSections, Empty: EmptyThoughts },
  pool_fact: { Sections: PoolFactSections, Empty: EmptyPoolFacts },
  pool_proposal: { Sections: PoolSections, Empty: NoPoolList },
  pool_ballot: { Sections: PoolSections, Empty: NoPoolList },
  pool_decision: { Sections: PoolSections, Empty: NoPoolList },
  pool_claw: { Sections: PoolSections, Empty: NoPoolList },
  skill: { Sections: SkillSections, Empty: EmptySkills },
}

export function faceOf(kind: string): Face {
  const face = faces[kind]
  if (!face) throw new Error(`There is no face for the kind ${kind}.`)
  return face
}
