// Seed shapes of the KSTAR memory for control tokens. A token with a signature is stored; without a signature, the
// book grants and signs a new one. `fieldNames` maps the capability's name of a field to the shape's.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { formatTime } from '../../core/time.ts'
import {
  inputFields,
  type Fields,
  object,
  singleCallShape,
  renameField,
  type SeedShape,
  text,
  without,
  kstarNames,
} from './shape.ts'

/** Default lifetime of a token, in milliseconds: one day. The specification requires an expiry. */
export const defaultTokenLifetimeMs = 86_400_000
/** Default `granted_to`: the token is for any program that has its bearer text. */
export const defaultHolder = 'bearer'

/** Fields that only the signer of a token sets. */
const signerFields = [
  'granted_by',
  'granted_at',
  'lineage_hash',
  'revoked',
  'revoked_at',
  'revocation_reason',
]

export const tokenShapes: readonly SeedShape[] = [
  {
    names: kstarNames('store_control_token'),
    summary: 'Stores a signed control token; without a signature, grants one and signs it.',
    capabilities: ['kstar:store_control_token', 'kstar:grant_control_token'],
    input: inputFields({
      token_type: text.optional(),
      type: text.optional(),
      scope: text,
      signature: text.optional(),
      permissions: z.array(text).optional(),
      granted_to: text.optional(),
      expires_at: text.optional(),
      delegation_chain: z.array(text).optional(),
      revoked: z.boolean().optional(),
    }).superRefine((value: Fields, context) => {
      if (value['token_type'] === undefined && value['type'] === undefined)
        context.addIssue({ code: 'custom', path: ['token_type'], message: 'is missing' })
      if (value['signature'] === undefined && value['revoked'] === true)
        context.addIssue({
          code: 'custom',
          path: ['revoked'],
          message: 'A token is not granted as a revoked one',
        })
    }),
    wrapperField: 'token',
    // `parent` only for the paths of errors: `run` takes it from the chain.
    fieldNames: { type: 'token_type', parent: 'delegation_chain' },
    answerSchema: z.looseObject({ token_id: text, bearer: text.optional() }),
    async run(input, at) {
      const token = renameField(input, 'token_type', 'type')
      if (token['signature'] !== undefined) return at.call('kstar:store_control_token', token, 0)
      // The chain begins with the parent token.
      const { delegation_chain: chain = [], ...claims } = without(token, ...signerFields)
      const [parent] = chain as readonly string[]
      const granted = (await at.call(
        'kstar:grant_control_token',
        {
          permissions: [],
          // The name of a holder must differ from the holders of all parent tokens.
          granted_to: parent === undefined ? defaultHolder : `${defaultHolder} of ${parent}`,
          expires_at: formatTime(at.now() + defaultTokenLifetimeMs),
          ...claims,
          ...defined({ parent }),
        },
        0,
      )) as { token: { token_id: string }; bearer?: string }
      const { token: grantedToken, bearer } = granted
      return { token_id: grantedToken.token_id, ...defined({ bearer }) }
    },
  },
  singleCallShape({
    names: kstarNames('verify_control_token'),
    summary: 'Says whether a token is valid for a scope, and if not, why.',
    capability: 'kstar:verify_control_token',
    input: inputFields({ token_id: text, scope: text }),
  }),
  singleCallShape({
    names: kstarNames('revoke_control_token'),
    summary: 'Revokes a token and all below it.',
    capability: 'kstar:revoke_control_token',
    input: inputFields({ token_id: text, reason: text.optional() }),
  }),
  singleCallShape({
    names: kstarNames('get_token_lineage'),
    summary: 'Lists a token and then its ancestors.',
    capability: 'kstar:get_token_lineage',
    input: inputFields({ token_id: text }),
    answerSchema: z.array(object),
    toShapeAnswer: ({ tokens }) => tokens,
  }),
  singleCallShape({
    names: kstarNames('list_tokens_by_type'),
    summary: 'Lists the tokens of a type.',
    capability: 'kstar:list_tokens_by_type',
    input: inputFields({ token_type: text }),
    fieldNames: { type: 'token_type' },
    answerSchema: z.array(object),
    toShapeAnswer: ({ tokens }) => tokens,
  }),
]
