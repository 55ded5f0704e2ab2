// The chapter of who may do what: control tokens, access keys, and the keys that seal sensitive records.
import { defineChapter } from '../core/capability/chapter.ts'
import { agentCapabilities } from './agent/agent-capability.ts'
import { agentKeyKind } from './agent/agent-key.ts'
import { accessKeyCapabilities } from './access-key-capability.ts'
import { clockCapabilities } from './clock-capability.ts'
import { accessKeyKind } from './access-key-kind.ts'
import { publicKeyKind } from './seal/public-key-kind.ts'
import { sealCapabilities } from './seal/seal-capability.ts'
import { secretCapabilities } from './secret-capability.ts'
import { tokenCapabilities } from './token-capability.ts'
import { tokenReadCapabilities } from './token-read-capability.ts'
import { keyKind, tokenKind } from './token-kind.ts'

export const trust = defineChapter({
  name: 'trust',
  capabilities: [
    ...tokenCapabilities,
    ...tokenReadCapabilities,
    ...accessKeyCapabilities,
    ...sealCapabilities,
    ...secretCapabilities,
    ...agentCapabilities,
    ...clockCapabilities,
  ],
  kinds: [tokenKind, keyKind, accessKeyKind, publicKeyKind, agentKeyKind],
})
