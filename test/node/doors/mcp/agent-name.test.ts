// The name of an agent for a name that a host of agents gives itself.
import { expect, it } from 'vitest'
import { hostAgentName } from '../../../../src/doors/mcp/agent-name.ts'

it.each([
  ['claude-ai', 'claude-ai'],
  ['Visual Studio Code', 'visual-studio-code'],
  ['Éditeur 2.0!', 'editeur-2.0'],
  // Neither the owner, who decides, nor a persona.
  ['Owner', 'owner-agent'],
  ['o w n e r', 'o-w-n-e-r-agent'],
  ['mcp_Alice_0123abcd_1', 'mcp-alice-0123abcd-1'],
  ['../../etc/passwd', 'etc-passwd'],
  ['x'.repeat(200), 'x'.repeat(56)],
  ['编辑器', 'agent'],
  ['', 'agent'],
])('of %j is %j', (name, agent) => {
  expect(hostAgentName(undefined, name)).toBe(agent)
})

it('leaves a name that the user chose as it is, except the owner’s', () => {
  expect(hostAgentName('Research_1', 'editor')).toBe('Research_1')
  expect(hostAgentName('OWNER', 'editor')).toBe('OWNER-agent')
  expect(hostAgentName(undefined, undefined)).toBe('agent')
})
