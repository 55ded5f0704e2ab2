// The table of secrets with a known form: prefix, pattern and further conditions.
// Invariant: a rule runs only at its prefix, in linear time.
import { hasBase58Checksum } from './base58-check.ts'
import { endsInCrc32 } from './check-digit.ts'
import { isPlaceholder } from './password-word.ts'

export interface SecretRule {
  /** Id of the rule in counts, marks and settings. */
  readonly id: string
  /** Prefixes of the secret. */
  readonly begins: readonly string[]
  /**
   * Pattern of the whole text, prefix included. A group `secret` marks the secret part; without it, all is secret.
   */
  readonly form: RegExp
  /** Pattern of text before the prefix that belongs to it. Default: no letter, digit, `_`, `-` or `+` may precede. */
  readonly before?: RegExp
  /** Further condition on the secret. */
  readonly holds?: (secret: string) => boolean
  /** True: fixed length with a unique form or a checksum, so letters, digits and `_` may be adjacent. */
  readonly isExact?: boolean
}

const exact = { isExact: true } as const
const crc = (bodyLength: number) => ({ ...exact, holds: (text: string) => endsInCrc32(text, bodyLength) })

/** Vendors' examples end with the word EXAMPLE. */
const isNoExample = (text: string) => !text.endsWith('EXAMPLE')

const isVaried = (text: string) => new Set(text).size > 8

/** True if the header contains `"alg"` in Base64, at any of three alignments (RFC 7515, section 4.1.1; RFC 4648). */
const namesAlgorithm = (text: string) => /ImFsZyI|JhbGci|iYWxnI/.test(text.slice(0, text.indexOf('.')))

const isNoPlaceholder = (secret: string) => !isPlaceholder(secret)

/** True if the block contains key bytes, not only dots. */
const hasKeyMaterial = (block: string) => /[A-Za-z0-9+/]{40}/.test(block)

function rule(
  id: string,
  begins: readonly string[],
  form: RegExp,
  more?: Pick<SecretRule, 'before' | 'holds' | 'isExact'> | SecretRule['holds'],
): SecretRule {
  return { id, begins, form, ...(typeof more === 'function' ? { holds: more } : more) }
}

/** Keys by the published prefixes, lengths and checksums of their issuers. The first matching rule counts. */
export const secretRules: readonly SecretRule[] = [
  rule('anthropic-key', ['sk-ant-'], /sk-ant-(?:api|admin|oat|ort)\d\d-[\w-]{80,120}/),
  rule('openrouter-key', ['sk-or-'], /sk-or-v1-[0-9a-f]{64}/),
  rule('openai-key', ['sk-'], /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,100}T3BlbkFJ[\w-]{20,100}/),
  rule('deepseek-key', ['sk-'], /sk-[0-9a-f]{32}/, isVaried),
  rule('groq-key', ['gsk_'], /gsk_[A-Za-z0-9]{52}/),
  rule('xai-key', ['xai-'], /xai-[A-Za-z0-9]{80}/),
  rule('perplexity-key', ['pplx-'], /pplx-[A-Za-z0-9]{48}/),
  rule('replicate-key', ['r8_'], /r8_[A-Za-z0-9]{37}/),
  rule('huggingface-token', ['hf_'], /hf_[A-Za-z]{34}/),
  rule('nvidia-key', ['nvapi-'], /nvapi-[\w-]{64}/),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghr_', 'ghs_'], /gh[pours]_[A-Za-z0-9]{36}/, crc(30)),
  rule('github-token', ['ghs_'], /ghs_[A-Za-z0-9]{36}/, isVaried),
  rule('github-token', ['github_pat_'], /github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}/, exact),
  rule(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-'],
    /gl(?:pat|dt|rt|ptt|cbt)-[\w.-]{20,64}/,
    isVaried,
  ),
  rule('npm-token', ['npm_'], /npm_[A-Za-z0-9]{36}/, crc(30)),
  rule('pypi-token', ['pypi-AgE'], /pypi-AgE[\w-]{60,200}/),
  rule('docker-token', ['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[\w-]{27,32}/),
  rule('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /A(?:KI|SI|BI|CC)A[A-Z2-7]{16}/, isNoExample),
  rule(
    'aws-secret-key',
    ['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'SecretAccessKey', 'secretAccessKey'],
    /(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|[sS]ecretAccessKey)(?:\\?["'])?\s{0,3}[:=]\s{0,3}(?:\\?["'])?(?<secret>[A-Za-z0-9/+]{40})/,
    (secret) => !secret.endsWith('EXAMPLEKEY'),
  ),
  rule('google-key', ['AIza'], /AIza[\w-]{35}/),
  rule('google-oauth-secret', ['GOCSPX-'], /GOCSPX-[\w-]{28}/),
  rule('google-access-token', ['ya29.'], /ya29\.[\w-]{60,400}/),
  rule('azure-storage-key', ['AccountKey='], /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/),
  rule('cloudflare-key', ['v1.0-'], /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}/),
  rule('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[por]_v1_[0-9a-f]{64}/),
  rule(
    'vercel-token',
    ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    /vc[piark]_[\w-]{50}[A-Za-z0-9]{6}/,
    crc(50),
  ),
  rule('supabase-key', ['sbp_', 'sb_secret_'], /sb(?:p_[0-9a-f]{40}|_secret_[\w-]{22,40})/),
  rule('databricks-token', ['dapi'], /dapi[0-9a-f]{32}(?:-\d)?/),
  rule('vault-token', ['hvs.', 'hvb.'], /hv[sb]\.[\w-]{24,200}/),
  rule('terraform-token', ['.atlasv1.'], /\.atlasv1\.[\w-]{60,70}/, { before: /[A-Za-z0-9]{14}$/ }),
  rule('doppler-token', ['dp.pt.', 'dp.st.'], /dp\.(?:pt|st\.[\w-]{2,35})\.[A-Za-z0-9]{40,44}/),
  rule('grafana-token', ['glsa_'], /glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}/),
  rule('sentry-token', ['sntrys_', 'sntryu_'], /sntry(?:s_eyJ[\w+/=-]{60,400}|u_[0-9a-f]{64})/),
  rule('postman-key', ['PMAK-'], /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  rule('linear-key', ['lin_api_'], /lin_api_[A-Za-z0-9]{40}/),
  rule('notion-token', ['ntn_'], /ntn_[A-Za-z0-9]{46}/),
  rule('airtable-token', ['pat'], /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/),
  rule(
    'slack-token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxe-', 'xoxs-'],
    /xox[abeprs](?:-\d{1,16}){2,4}-[A-Za-z0-9]{20,64}/,
  ),
  rule('slack-app-token', ['xapp-'], /xapp-\d-[A-Z0-9]{9,13}-\d{10,16}-[0-9a-f]{64}/),
  rule(
    'slack-webhook',
    ['hooks.slack.com/'],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/T[A-Z0-9]{8,12}\/[A-Z0-9]{8,14}\/[A-Za-z0-9]{20,32}/,
  ),
  rule(
    'discord-webhook',
    ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,72}/,
  ),
  rule(
    'stripe-key',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    /[sr]k_(?:live|test)_[A-Za-z0-9]{20,120}/,
  ),
  rule('stripe-webhook-secret', ['whsec_'], /whsec_[A-Za-z0-9+/]{32,64}={0,2}/),
  rule(
    'square-token',
    ['sq0atp-', 'sq0csp-', 'EAAA'],
    /(?:sq0atp-[\w-]{22}|sq0csp-[\w-]{43}|EAAA[\w-]{60})/,
    isVaried,
  ),
  rule('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/),
  rule('sendgrid-key', ['SG.'], /SG\.[\w-]{22}\.[\w-]{43}/),
  rule(
    'twilio-credentials',
    [...'0123456789abcdef'].map((digit) => `AC${digit}`),
    /AC[0-9a-f]{32}:[0-9a-f]{32}/,
  ),
  rule('telegram-bot-token', [':AA'], /:AA[\w-]{33}/, { before: /\d{8,10}$/ }),
  rule('age-secret-key', ['AGE-SECRET-KEY-1'], /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/),
  rule(
    'wallet-key',
    ['xprv', 'yprv', 'zprv', 'tprv'],
    /[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107}/,
    hasBase58Checksum,
  ),
  rule('daybook-key', ['dbk1.'], /dbk1\.[\w-]{16}\.[\w-]{43}/),
  rule('daybook-token', ['dbt2.'], /dbt2\.[\w-]{40,8000}\.[\w-]{43}/),
  rule('jwt', ['eyJ'], /eyJ[\w-]{8,2000}\.eyJ[\w-]{8,8000}\.[\w-]{16,2000}/, namesAlgorithm),
  rule(
    'private-key',
    ['-----BEGIN '],
    /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){40,20000}(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/,
    hasKeyMaterial,
  ),
  {
    id: 'connection-password',
    begins: ['://'],
    before: /[A-Za-z][A-Za-z0-9+.-]{1,30}$/,
    form: /:\/\/[^\s:@/?#"'<>]{0,128}:(?<secret>[^\s@/"'<>]{3,256})@[\w.[-]/,
    holds: isNoPlaceholder,
  },
]
