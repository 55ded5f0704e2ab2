// What is known beside facts: perceptions, of which one has run out, and skills.

export interface GoldenPerception {
  readonly key: string
  readonly subject: string
  readonly content: string
  readonly confidence: number
  readonly valid_until?: string
}

const noticed = (key: string, subject: string, confidence: number, content: string): GoldenPerception => ({
  key,
  subject,
  confidence,
  content,
})

export const perceptions: readonly GoldenPerception[] = [
  noticed('terse', 'Mara', 0.9, 'Answers curtly before nine in the morning and warmly after lunch.'),
  noticed('sketch', 'Mara', 0.8, 'Understands a proposal faster as a sketch than as a paragraph.'),
  noticed(
    'money',
    'Mara',
    0.6,
    'Avoids talking about money with clients and is relieved when somebody else does.',
  ),
  noticed('hands', 'Mara', 0.7, 'Her left hand is stiff after days at the drawing board.'),
  noticed('tomas-noise', 'Tomas', 0.85, 'Gets migraines from traffic noise and bright tubes.'),
  noticed('bengt-loan', 'Bengt', 0.5, 'Lends tools gladly but wants them back within the month.'),
  noticed(
    'fatima-rule',
    'Fatima Rahimi',
    0.95,
    'Insists on uploads to the project room and does not read attachments.',
  ),
  noticed('oskar', 'Oskar', 0.7, 'Chooses plants by the colour of the flower and forgets the leaves.'),
  noticed('amina', 'Amina', 0.8, 'Checks instruments before she trusts them.'),
  noticed('lien', 'Lien', 0.75, 'Shy in the group, brilliant on paper, good with moss and shade.'),
  noticed('priyanka', 'Priyanka', 0.9, 'Approves a migration only after a dry run on a staging copy.'),
  noticed('jonas', 'Jonas', 0.9, 'Uses a screen reader at three times the normal speed.'),
  noticed(
    'search-slow',
    'search service',
    0.8,
    'Slows down on Monday mornings when the catalogue is imported.',
  ),
  noticed('node-image', 'image worker', 0.9, 'Memory grows when clients hang up in the middle of a picture.'),
  noticed(
    'node-image-again',
    'image worker',
    0.9,
    'The memory grows whenever clients hang up in the middle of a picture.',
  ),
  noticed('payments', 'payment gateway', 0.7, 'Certificates there expire without a warning.'),
  noticed('planner', 'orders database', 0.85, 'The planner misjudges queries when statistics are missing.'),
  noticed('quay', 'harbour park', 0.9, 'The lowest quay step is under water for two hours at spring tide.'),
  noticed('birch', 'harbour park', 0.95, 'Birches die within two winters where the spray reaches them.'),
  noticed('gulls', 'harbour park', 0.6, 'Gulls pull out young thrift unless it is netted.'),
  noticed(
    'polytunnel',
    'allotment',
    0.8,
    'Sungold in the polytunnel ripens three weeks before any outdoors.',
  ),
  noticed('slugs', 'allotment', 0.7, 'Slugs come from the wet compost heap, not from the hedge.'),
  noticed(
    'wolf',
    'cello',
    0.8,
    'There is a wolf note on the F sharp of the G string, tamed by a brass eliminator.',
  ),
  noticed('pixel', 'Pixel', 0.7, 'The dog is calm when his blue blanket is near.'),
  {
    ...noticed('detour', 'Linnégatan', 0.9, 'Trams are diverted by way of Järntorget because of road works.'),
    valid_until: '2024-12-01',
  },
]

export interface GoldenSkill {
  readonly name: string
  readonly description: string
  readonly triggers: readonly string[]
  readonly procedure: string
}

const skill = (
  name: string,
  triggers: readonly string[],
  description: string,
  procedure: string,
): GoldenSkill => ({
  name,
  triggers,
  description,
  procedure,
})

export const skills: readonly GoldenSkill[] = [
  skill(
    'glue-open-seam',
    ['buzz', 'open seam'],
    'Find and glue an open seam of a string instrument.',
    'Knock along the edge, listen for a rattle, let the luthier glue with hide glue.',
  ),
  skill(
    'split-rhubarb',
    ['rhubarb'],
    'Divide an old rhubarb before the leaves come.',
    'Dig up the crown in March, cut it with a spade so that each part has a bud, plant a metre apart.',
  ),
  skill(
    'heap-snapshot',
    ['memory leak'],
    'Find a leak in a Node service.',
    'Take three heap snapshots; when the heap is flat, profile native allocations with jemalloc.',
  ),
  skill(
    'rollback-release',
    ['failed deploy', 'health check'],
    'Roll a release back safely.',
    'Freeze the queue, switch the load balancer, verify health, send again what was refused.',
  ),
  skill(
    'analyze-after-upgrade',
    ['postgres', 'slow query'],
    'Bring statistics back after a major upgrade of Postgres.',
    'Run vacuumdb with analyze in stages, compare plans before and after.',
  ),
  skill(
    'freeze-clock',
    ['flaky test'],
    'Make tests independent of the time of day.',
    'Inject a clock, let it stand still, move it by hand.',
  ),
  skill(
    'screen-reader-check',
    ['accessibility'],
    'Check a form without looking at the screen.',
    'Unplug the mouse, turn the reader on, fill in every field, listen for errors.',
  ),
  skill(
    'ribbon-test',
    ['soil', 'clay'],
    'Tell clay from silt by hand.',
    'Moisten, knead, roll a worm of three millimetres; if it holds and shines it is clay.',
  ),
  skill(
    'water-level',
    ['slope'],
    'Measure a slope with a hose full of water.',
    'Let the bubbles out, hold both ends against staffs, read the difference.',
  ),
  skill(
    'salt-planting',
    ['brackish', 'spray'],
    'Choose plants for places with salt spray.',
    'Start with the Alnarp list, test in pots by the quay for one winter, net against gulls.',
  ),
  skill(
    'drain-pump',
    ['frost', 'pump'],
    'Drain a well pump before winter.',
    'Close the valve, open the lowest screw, let it run dry, leave the tap open.',
  ),
  skill(
    'bleed-metronome',
    ['rehearsal', 'tempo'],
    'Bring a quartet up to tempo.',
    'Begin at 80, four marks faster each run, back by eight after a mistake.',
  ),
  skill(
    'restore-drill',
    ['backup'],
    'Prove that a backup can be restored.',
    'Pick a folder, restore it elsewhere, compare checksums, write down the minutes.',
  ),
  skill(
    'rotate-certificate',
    ['certificate', 'expired'],
    'Renew a certificate before anybody notices.',
    'Alarm at 21 days, request, install on the standby, switch, test with a pinned client.',
  ),
]
