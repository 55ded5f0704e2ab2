// The lines on which a simulated mirror tells of changes: frames under way, in order, lost only together with their line.
import { DaybookError } from '../../../src/core/errors.ts'
import type { MirrorLine, LineHooks } from '../../../src/core/ports.ts'
import { heartbeat } from '../../../src/sync/wire/live-wire.ts'

export interface SimLines {
  /** A line of the device `name`, whose process must be alive to hear. */
  listen(name: string, isAlive: () => boolean, hooks: LineHooks): MirrorLine
  /** The mirror is at place `seq`, and says so to all. */
  poke(seq: number): void
  /** What is under way arrives; true when something did. */
  deliver(): boolean
  /** The line of `name` breaks, with all that is under way on it. */
  cut(name: string): void
  /** How many frames have arrived. */
  heard(): number
}

interface OpenLine {
  readonly name: string
  readonly hooks: LineHooks
  readonly isAlive: () => boolean
  isOpen: boolean
}

const pokeAt = (seq: number) => JSON.stringify({ type: 'poke', seq })

/** `head` answers where the mirror stands: a line begins with it. */
export function createSimLines(head: () => number): SimLines {
  let lines: OpenLine[] = []
  let frames: { readonly line: OpenLine; readonly text?: string }[] = []
  let heard = 0
  const leave = (line: OpenLine) => {
    lines = lines.filter((other) => other !== line)
    frames = frames.filter((frame) => frame.line !== line)
  }
  return {
    listen(name, isAlive, hooks) {
      const line: OpenLine = { name, hooks, isAlive, isOpen: false }
      lines.push(line)
      frames.push({ line })
      return {
        send(text) {
          if (text === heartbeat.ask) frames.push({ line, text: heartbeat.answer })
        },
        close: () => leave(line),
      }
    },
    poke(seq) {
      for (const line of lines) if (line.isOpen) frames.push({ line, text: pokeAt(seq) })
    },
    deliver() {
      const [first, ...rest] = frames
      if (!first) return false
      frames = rest
      const { line, text } = first
      if (!line.isAlive()) {
        leave(line)
        return true
      }
      heard += 1
      if (text !== undefined) line.hooks.received(text)
      else {
        line.isOpen = true
        line.hooks.opened()
        frames.push({ line, text: pokeAt(head()) })
      }
      return true
    },
    cut(name) {
      for (const line of lines.filter((one) => one.name === name)) {
        leave(line)
        if (line.isAlive()) line.hooks.ended(new DaybookError('offline'))
      }
    },
    heard: () => heard,
  }
}
