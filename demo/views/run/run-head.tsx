// The head of the open run: its figures, and the share of each tool.
import { Mark } from '../../parts/mark.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { Time } from '../../parts/inline.tsx'
import type { Picture } from '../../kind/run/picture.ts'
import type { ToolShare } from '../../kind/run/run-figure.ts'
import { chipOf, narrow } from '../../state/address.ts'
import type { Run } from '../../state/run/run-list.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'
import { countOf, countWord, shareWord } from '../../wording/text-word.ts'

export function RunOutcome({ outcome }: Pick<Run, 'outcome'>) {
  if (outcome === 'none') return <span class="faint">Conversation</span>
  return <Mark mark={outcome} word />
}

export function RunFigures({ run, picture, isWhole }: { run: Run; picture: Picture; isWhole: boolean }) {
  const { tokens, cost, agents, line } = picture
  const soFar = isWhole ? '' : ' so far'
  return (
    <FactList look="run-figures">
      <Fact name="Outcome">
        <RunOutcome outcome={run.outcome} />
      </Fact>
      <Fact name="Steps">
        {countWord(run.steps)}
        {run.failed > 0 && <span class="run-failed"> ({countWord(run.failed)} failed)</span>}
      </Fact>
      {run.messages > 0 && <Fact name="Messages">{countWord(run.messages)}</Fact>}
      <RunTimes run={run} picture={picture} />
      {line.stalls > 0 && (
        <Fact name={`Idle${soFar}`}>
          {longDuration(line.idleMs)} <span class="faint">({countOf(line.stalls, 'stall')})</span>
        </Fact>
      )}
      {tokens !== undefined && <Fact name={`Tokens${soFar}`}>{countWord(tokens)}</Fact>}
      {cost !== undefined && <Fact name={`Cost${soFar}`}>{costWord(cost)}</Fact>}
      <Fact name={agents.length > 1 ? 'Agents' : 'Agent'}>
        <bdi>{agents.length > 1 ? `${run.agent} and ${countOf(agents.length - 1, 'other')}` : run.agent}</bdi>
      </Fact>
      <Fact name="Session">
        <bdi class="run-session">{run.session}</bdi>
      </Fact>
    </FactList>
  )
}

/** Files without times have no start, and no duration but that of their measured steps. */
function RunTimes({ run, picture: { hasTimes, workMs } }: { run: Run; picture: Picture }) {
  if (!hasTimes)
    return (
      <Fact name="Measured time">
        {workMs === undefined ? <span class="faint">none in the file</span> : longDuration(workMs)}
      </Fact>
    )
  return (
    <>
      <Fact name="Duration">{longDuration(run.durationMs)}</Fact>
      <Fact name="Started">
        <Time at={run.startedAt} exact />
      </Fact>
    </>
  )
}

/** More are in the sum of the others. */
const mostTools = 5

export function ToolShares({ picture: { tools, isTimed } }: { picture: Picture }) {
  if (tools.length === 0) return null
  const others = tools.slice(mostTools)
  const share = others.reduce((sum, one) => sum + one.share, 0)
  return (
    <div class="tool-shares" role="group" aria-label={`Share of ${isTimed ? 'time' : 'steps'} by tool`}>
      <span class="faint">{isTimed ? 'Time' : 'Steps'} by tool</span>
      {tools.slice(0, mostTools).map((one) => (
        <ToolButton key={one.tool} tool={one} isTimed={isTimed} />
      ))}
      {others.length > 0 && (
        <span class="faint">
          {countOf(others.length, 'other tool')} {shareWord(share)}
        </span>
      )}
    </div>
  )
}

function ToolButton({
  tool: { tool, share, ms, steps, failed },
  isTimed,
}: {
  tool: ToolShare
  isTimed: boolean
}) {
  const isChosen = chipOf('tool') === tool
  const words = [
    countOf(steps, 'step'),
    isTimed && longDuration(ms),
    failed > 0 && `${countWord(failed)} failed`,
  ]
  return (
    <button
      type="button"
      class="tool-share"
      aria-pressed={isChosen}
      title={words.filter(Boolean).join(' · ')}
      onClick={() => narrow({ tool: isChosen ? '' : tool }, 'replace')}
    >
      <code>{tool}</code> {shareWord(share)}
      {failed > 0 && <span class="run-failed"> ✕{countWord(failed)}</span>}
      <span class="hidden"> {words.filter(Boolean).join(', ')}</span>
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </span>
    </button>
  )
}
