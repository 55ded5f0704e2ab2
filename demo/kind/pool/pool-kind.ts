// The records of the pool as the inspector shows them. Facts have their own list; the views of the pool show proposals, votes,
// decisions and agents, which are here for lists of all kinds.
import { oneLine } from '../../wording/text-word.ts'
import type { RecordKind } from '../record-kind.ts'
import {
  type BallotRecord,
  type ClawRecord,
  type DecisionRecord,
  factLine,
  type FactRecord,
  type ProposalRecord,
  tallyWord,
} from './pool-record.ts'

const listed = (names: readonly string[]) => oneLine(names.join(', '), 120)

export const poolFactKind: RecordKind<FactRecord> = {
  view: 'poolFacts',
  name: 'pool_fact',
  one: 'confirmed fact',
  many: 'confirmed facts',
  order: 'newest first',
  fields: {
    subject: { type: 'text', name: 'Subject', path: 'subject' },
    predicate: { type: 'text', name: 'Predicate', path: 'predicate' },
    tag: { type: 'text', name: 'Tag', path: 'tags', isList: true },
    home: { type: 'text', name: 'Publisher', path: 'home' },
    revised: {
      type: 'choice',
      name: 'Versions',
      choices: [
        { value: 'yes', word: 'more than one', filters: { version: { gte: 2 } } },
        { value: 'no', word: 'the first one', filters: { version: 1 } },
      ],
    },
    time: { type: 'time', name: 'Published', path: 'publishedAt' },
  },
  timePath: 'publishedAt',
  glance: 'Open a fact to see its versions and the votes behind each.',
  searched: 'Search looks at subject, predicate, object and tags.',
  cites: [],
  row: (fact) => ({
    id: fact.id,
    at: fact.publishedAt,
    mark: 'approved',
    title: oneLine(factLine(fact), 240),
    lead: listed(fact.tags),
    rest: `votes ${tallyWord(fact.votes)}`,
    aside: `version ${fact.version}`,
    seen: {
      subject: [oneLine(fact.subject, 60)],
      predicate: [oneLine(fact.predicate, 60)],
      tag: fact.tags.slice(0, 4),
      home: [fact.home],
    },
  }),
}

export const poolProposalKind: RecordKind<ProposalRecord> = {
  view: 'pool',
  name: 'pool_proposal',
  one: 'pool proposal',
  many: 'pool proposals',
  order: 'newest first',
  fields: {},
  glance: 'Open a proposal to see how the agents of the pool voted.',
  cites: [],
  row: ({ id, proposedAt: at, title, statement, tags, claw }) => ({
    id,
    at,
    mark: 'proposed',
    title: oneLine(title === undefined ? statement : `${title}: ${statement}`, 240),
    lead: listed(tags),
    rest: `proposed by ${claw}`,
    aside: '',
    seen: {},
  }),
}

export const poolBallotKind: RecordKind<BallotRecord> = {
  view: 'pool',
  name: 'pool_ballot',
  one: 'pool vote',
  many: 'pool votes',
  order: 'newest first',
  fields: {},
  glance: 'Open a vote to see what was voted on.',
  cites: [{ path: 'proposal', to: 'Votes on', from: 'Votes', rests: () => true }],
  row: ({ id, castAt: at, vote, n, votes, claw }) => ({
    id,
    at,
    mark: vote === 'yes' ? 'approve' : 'reject',
    title: `${claw} votes to ${vote === 'yes' ? 'approve' : 'reject'} it`,
    lead: '',
    rest: oneLine(votes[String(n)]?.reason ?? '', 160),
    isProse: true,
    aside: n > 1 ? `changed ${n - 1} ×` : '',
    seen: {},
  }),
}

export const poolDecisionKind: RecordKind<DecisionRecord> = {
  view: 'pool',
  name: 'pool_decision',
  one: 'pool decision',
  many: 'pool decisions',
  order: 'newest first',
  fields: {},
  glance: 'Open a decision to see the votes it counted.',
  cites: [{ path: 'proposal', to: 'Decides', from: 'Decision', rests: () => true }],
  row: ({ id, decidedAt: at, outcome, yes, no, reason, claw }) => ({
    id,
    at,
    mark: outcome,
    title: `Proposal ${outcome}, ${tallyWord({ yes, no })}`,
    lead: '',
    rest: `${reason}, counted by ${claw}`,
    aside: '',
    seen: {},
  }),
}

export const poolClawKind: RecordKind<ClawRecord> = {
  view: 'poolClaws',
  name: 'pool_claw',
  one: 'pool agent',
  many: 'pool agents',
  order: 'newest first',
  fields: {},
  glance: 'Open an agent to see what it can do.',
  cites: [],
  row: ({ id, announcedAt: at, displayName: name, claw, capabilities, model }) => ({
    id,
    at,
    mark: 'agent',
    title: name === undefined || name === claw ? claw : `${name} (${claw})`,
    lead: listed(capabilities),
    rest: '',
    aside: model ?? '',
    seen: {},
  }),
}
