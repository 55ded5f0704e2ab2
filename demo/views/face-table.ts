// The face of each room of records, by kind.
import { EmptyBook } from './empty-book.tsx'
import type { Face } from './face.ts'
import { TraceSections } from './trace-sections.tsx'

const faces: Readonly<Record<string, Face>> = {
  trace: { Sections: TraceSections, Empty: EmptyBook },
}

export function faceOf(kind: string): Face {
  const face = faces[kind]
  if (!face) throw new Error(`There is no face for the kind ${kind}.`)
  return face
}
