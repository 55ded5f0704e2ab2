// The door of a book in a Durable Object, used from outside of it: every call goes into the object and comes out again.
import { runInDurableObject } from 'cloudflare:test'
import type { BookEvent } from '../../src/core/capability/event.ts'
import type { BookDoor } from '../../src/book/daybook.ts'

/** What happens in an object has to be fetched from it: a listener that is called in there could not act out here. */
function createEventQueue(door: BookDoor) {
  const events: BookEvent[] = []
  let tell: ((event: BookEvent | undefined) => void) | undefined
  let ended = false
  const stop = door.on((event) => {
    if (tell) tell(event as BookEvent)
    else events.push(event as BookEvent)
    tell = undefined
  })
  return {
    next: () =>
      new Promise<BookEvent | undefined>((resolve) => {
        const event = events.shift()
        if (event || ended) resolve(event)
        else tell = resolve
      }),
    end() {
      stop()
      ended = true
      tell?.(undefined)
    },
  }
}

export function through(stub: DurableObjectStub, door: BookDoor): BookDoor {
  const inside = <Result>(work: () => Result | Promise<Result>) => runInDurableObject(stub, work)
  return {
    // Their tables know no book: what they call goes through it as every call does.
    tools: door.tools,
    call: (id, input, options) => inside(() => door.call(id, input, options)),
    on(listener) {
      const queue = createEventQueue(door)
      const listen = async () => {
        for (;;) {
          const event = await inside(queue.next)
          if (event) listener(event)
          if (!event || event.name === 'closed') return
        }
      }
      void listen()
      return () => void inside(queue.end)
    },
    close: () => inside(() => door.close()),
  }
}
