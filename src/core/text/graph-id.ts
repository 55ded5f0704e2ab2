// Ids of what a knowledge graph consists of: one record for each name, however often and wherever it is told.
import { nameId } from './name-id.ts'

/** The schemas of the facts that a knowledge graph is kept as. */
export const entitySchema = 'kg_entity'
export const relationSchema = 'kg_relation'

export const entityId = (name: string) => nameId(entitySchema, name)

export const relationId = (from: string, to: string, type: string) => nameId(relationSchema, from, to, type)
