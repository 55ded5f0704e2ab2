// The table from our codes to those of the a2p protocol.
import { expect, it } from 'vitest'
import { DaybookError, type ErrorCode, errorTable } from '../../../../src/core/errors.ts'
import { protocolCodeOf, protocolCodes, toProtocolError } from '../../../../src/doors/http/a2p/envelope.ts'
import { signedRequestFaults } from '../../../../src/trust/agent/signed-request.ts'

it('has one of the protocol’s codes for each of ours', () => {
  const all = Object.keys(errorTable) as ErrorCode[]
  for (const code of all)
    expect([code, Object.hasOwn(protocolCodes, protocolCodeOf(code))]).toEqual([code, true])
  const told = Object.fromEntries(all.map((code) => [code, protocolCodeOf(code)]))
  expect(told).toMatchObject({
    unauthorized: 'A2P001',
    forbidden: 'A2P002',
    'not-found': 'A2P003',
    'unknown-route': 'A2P003',
    'consent-required': 'A2P004',
    'rate-limited': 'A2P005',
    'invalid-input': 'A2P006',
    conflict: 'A2P006',
    'too-large': 'A2P006',
    internal: 'A2P500',
    'storage-full': 'A2P500',
  })
})

it('has a code for each way in which a signature is refused', () => {
  const told = signedRequestFaults.map((reason) => protocolCodeOf('unauthorized', reason))
  expect(told).toEqual(['A2P010', 'A2P007', 'A2P009', 'A2P011', 'A2P001', 'A2P007', 'A2P008'])
  expect(protocolCodeOf('unauthorized', 'constructor')).toBe('A2P001')
})

it('tells nobody what went wrong inside, and keeps the status that says more', () => {
  const inside = toProtocolError(new Error('the password is x'))
  expect(JSON.stringify(inside)).not.toContain('password')
  expect(inside).toMatchObject({ code: 'A2P500', status: 500 })
  expect(toProtocolError(new DaybookError('too-large'))).toMatchObject({ code: 'A2P006', status: 413 })
  expect(toProtocolError(new DaybookError('wrong-method'))).toMatchObject({ code: 'A2P006', status: 405 })
  expect(toProtocolError(new DaybookError('storage-full'))).toMatchObject({ code: 'A2P500', status: 507 })
  const busy = new DaybookError('rate-limited', undefined, { details: { retryAfterMs: 1500 } })
  expect(toProtocolError(busy)).toMatchObject({ code: 'A2P005', status: 429, retryAfterMs: 1500 })
})

it.each([
  [{ memory_type: 'factual' }, 'factual'],
  [{ memory: { memory_type: 'factual' } }, 'factual'],
  [{ memory_type: 7 }, 'number'],
  [{ memory_type: 'x'.repeat(500) }, 'x'.repeat(80)],
])('says which memory types there are where one is wrong, as in %j', (given, provided) => {
  const path = 'memory' in given ? 'memory.memory_type' : 'memory_type'
  const wrong = new DaybookError('invalid-input', 'no', { details: { path } })
  expect(toProtocolError(wrong, given)).toEqual({
    code: 'A2P023',
    status: 400,
    message: `Invalid memory type: ${provided}. Must be one of: episodic, semantic, procedural`,
    details: {
      name: 'invalid_memory_type',
      path,
      provided,
      valid: ['episodic', 'semantic', 'procedural'],
    },
  })
})
