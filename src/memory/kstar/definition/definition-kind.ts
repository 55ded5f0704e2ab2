// The kinds of what is registered. None of them is recalled: they say how other records are made.
import type { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import { categoryBody, schemaBody, tokenTypeBody } from './definition-schema.ts'

const definition = {
  version: 1,
  text: [],
  // Whoever shares a book shares its definitions: what the others have agreed on stays.
  policy: 'remote_wins',
  timeless: true,
  recallable: () => false,
  guests: 'read',
} as const

const schemaKind: Kind<'fact_schema', z.output<typeof schemaBody>> = {
  ...definition,
  name: 'fact_schema',
  idPrefix: 'fact_schema::',
  summary: 'The JSON Schema that facts of a name keep to, in all its versions.',
  schema: schemaBody,
  facets: { name: 'name' },
  scopedBy: 'name',
  scopedAs: 'fact',
}

const categoryKind: Kind<'trace_category', z.output<typeof categoryBody>> = {
  ...definition,
  name: 'trace_category',
  idPrefix: 'trace_category::',
  plural: 'trace_categories',
  summary: 'What traces of one action in one domain must carry.',
  schema: categoryBody,
  facets: { name: 'name', domain: 'domain' },
  scopedBy: 'domain',
  scopedAs: 'trace',
}

const tokenTypeKind: Kind<'token_type', z.output<typeof tokenTypeBody>> = {
  ...definition,
  name: 'token_type',
  idPrefix: 'token_type::',
  summary: 'A type of control token: the pattern of its scope and the permissions it needs.',
  schema: tokenTypeBody,
  facets: { name: 'name' },
  scopedBy: 'name',
}

export const definitionKinds = [schemaKind, categoryKind, tokenTypeKind] as const
