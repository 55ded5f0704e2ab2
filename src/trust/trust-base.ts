// The chapter of trust without its verbs: control tokens, access keys, the book's public key and registered agents.
import { defineChapterBase } from '../core/capability/chapter.ts'
import { accessKeyKind } from './access-key.ts'
import { agentKeyKind } from './agent/agent-key.ts'
import { publicKeyKind } from './seal/key-pair.ts'
import { keyKind, tokenKind } from './token-schema.ts'

export const trustBase = defineChapterBase({
  name: 'trust',
  kinds: [tokenKind, keyKind, accessKeyKind, publicKeyKind, agentKeyKind],
})
