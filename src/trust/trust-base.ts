// The chapter of trust without its verbs: control tokens, the owner's signing keys (`key`), access keys, the
// book's public key (to seal), and the keys of registered agents.
import { defineChapterBase } from '../core/capability/chapter.ts'
import { accessKeyKind } from './access-key.ts'
import { agentKeyKind } from './agent/agent-key.ts'
import { publicKeyKind } from './seal/key-pair.ts'
import { signingKeyKind, tokenKind } from './token-schema.ts'

export const trustBase = defineChapterBase({
  name: 'trust',
  kinds: [tokenKind, signingKeyKind, accessKeyKind, publicKeyKind, agentKeyKind],
})
