// A chapter: what one folder brings to the book. The engine knows a list of chapters, and nothing else of them.
import type { Kind } from '../kind.ts'
import type { AnyCapability } from './capability.ts'
import type { PortParts, ReadPorts, WritePortParts, WritePorts } from './context.ts'
import type { Recurring } from './recurring.ts'
import type { Service, ServiceParts } from './service.ts'

export interface Chapter<
  Name extends string = string,
  Capabilities extends readonly AnyCapability[] = readonly AnyCapability[],
  Kinds extends readonly Kind[] = readonly Kind[],
> {
  readonly name: Name
  /** Its verbs, in the order in which they are described. */
  readonly capabilities: Capabilities
  /** The kinds of record that it owns. */
  readonly kinds: Kinds
  /** Its ports, by the names under which capabilities declare them. */
  readonly ports?: ChapterPorts
  /** What is to be done again and again. */
  readonly recurring?: readonly Recurring[]
  /** What works beside the calls, begun when a book is opened and closed with it. */
  readonly services?: (parts: ServiceParts) => readonly Service[]
}

/** Builders of ports: for the caller of a read or a task, and for one transaction. */
export interface ChapterPorts {
  readonly read?: { readonly [Name in keyof ReadPorts]?: (parts: PortParts) => ReadPorts[Name] }
  readonly write?: { readonly [Name in keyof WritePorts]?: (parts: WritePortParts) => WritePorts[Name] }
}

/** Declares a chapter and keeps the types of its verbs and kinds. */
export function defineChapter<
  const Name extends string,
  const Capabilities extends readonly AnyCapability[],
  const Kinds extends readonly Kind[],
>(chapter: Chapter<Name, Capabilities, Kinds>): Chapter<Name, Capabilities, Kinds> {
  return chapter
}
