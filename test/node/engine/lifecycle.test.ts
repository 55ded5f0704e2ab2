// Services are told in the order in which they were added, and closed in the reverse, once.
import { expect, test } from 'vitest'
import { createLifecycle } from '../../../src/engine/lifecycle.ts'

function openThree() {
  const heard: string[] = []
  const services = createLifecycle()
  for (const name of ['first', 'second', 'third']) {
    services.add({
      name,
      wake: () => void heard.push(`wake ${name}`),
      changed: (id, kind) => void heard.push(`changed ${name} ${id} ${kind}`),
      wrote: (changed) => void heard.push(`wrote ${name} ${changed.length}`),
      failed: (error) => void heard.push(`failed ${name} ${String(error)}`),
      degraded: () => (name === 'second' ? undefined : `${name} is ill`),
      close: () => void heard.push(`close ${name}`),
    })
  }
  services.add({ name: 'deaf' })
  return { services, heard }
}

test('all are told of what happens in the order in which they were added', () => {
  const { services, heard } = openThree()
  services.wake()
  expect(heard.splice(0)).toEqual(['wake first', 'wake second', 'wake third'])
  services.failed('badly')
  expect(heard.splice(0)).toEqual(['failed first badly', 'failed second badly', 'failed third badly'])
  expect(services.degraded()).toEqual(['first is ill', 'third is ill'])
})

test('each record of a call is told of before the call as a whole', () => {
  const { services, heard } = openThree()
  services.wrote([
    { id: 'a', kind: 'trace' },
    { id: 'b', kind: 'fact' },
  ])
  expect(heard).toEqual([
    ...['first', 'second', 'third'].map((name) => `changed ${name} a trace`),
    ...['first', 'second', 'third'].map((name) => `changed ${name} b fact`),
    ...['first', 'second', 'third'].map((name) => `wrote ${name} 2`),
  ])
})

test('they are closed in the reverse, and only once', () => {
  const { services, heard } = openThree()
  expect(services.isClosed()).toBe(false)
  services.close()
  services.close()
  expect(services.isClosed()).toBe(true)
  expect(heard).toEqual(['close third', 'close second', 'close first'])
})
