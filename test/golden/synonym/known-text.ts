// Facts of Iris, and traces of the agent that works on Pigeon. A fact: its key, its schema, its fields, and the questions that it
// answers, as in `home-talk.ts`. A trace: key, time, domain, session, action, whether it succeeded, the task, and what came of it.
export const knownFacts = `
larkspur | flat | network=internet in the flat; login=larkspur-88 @wifi
neovim | habit | person=Iris; writes=all her files in Neovim; finds=VS Code sluggish @editor
dom | person | name=Dom; does=nights as a paramedic for St Luke's @job
wren | person | name=Wren; born=2019-02-11; shoe=size 29
theo | person | name=Theo; born=2015-09-30; likes=goalkeepers, Lego, drawing dragons
biscuit | person | name=Biscuit; is=beagle with one white ear; chip=977200008123
school | contact | name=St Cuthbert's primary school; phone=0161 555 0188; head=Mrs Lomax
dentist | contact | name=Dr Feld; role=dentist of the whole family; phone=0161 555 0120
code | home | what=code of the bike shed; value=4471
alarm | home | what=alarm of the garage; maker=Yale; code=turn twice, wait for green
tea | preference | person=Iris; drink=builder's tea with a drop of milk; hates=camomile
text | preference | person=Iris; wants=short answers without bullet points
tv | preference | person=Dom; watches=every job interview comedy that exists, and cricket
shirt | preference | person=Dom; size=collar 15 and a half; avoids=wool
insurance | contract | what=home insurance; company=Aviva; number=HH-220-9917; ends=2026-02-28
phone | contract | what=mobile phone of Iris; company=Giffgaff; costs=12 pounds a month
gym | contract | what=climbing hall; company=Depot; ends=2025-12-31; costs=41 pounds a month
repo | project | what=repository; place=git.pigeon.example/tracker; main=trunk
colour | project | what=brand colour; value=teal, hex 0f766e
holiday | project | what=days off in a year; value=27 and the bank holidays
editor-paper | contact | name=Helen Marsh; role=editor of the company paper; phone=0161 555 0166
movers | contact | name=Broom Brothers; role=movers with a van; phone=0161 555 0171
`

export const knownTraces = `
scan-1 2025-01-20T15:00 code.go ledger mend + Lock the ledger row while a courier scans => no duplicate in 40,000 simulated scans @shipments:2
scan-2 2025-01-21T09:30 code.go ledger test + Scan with fifty couriers at a time => all parcels are where they should be @shipments:1
lazy-1 2025-02-25T10:00 code.web start mend - Compress the pictures harder => Paola sees stripes in the sky, taken back
lazy-2 2025-02-26T10:00 code.web start mend + Fetch pictures when they scroll into view => first paint after 0.7 instead of 1.9 seconds @speed
cost-1 2025-03-05T10:00 ops.aws cost check + Find what tripled the spending => twelve machines with GPUs ran idle for three weeks @cloud
cost-2 2025-03-06T10:00 ops.aws cost mend + Stop machines that idle for two hours => a watcher runs each hour @cloud:1
map-1 2025-03-27T10:00 code.web map mend - Ask for the position each minute instead of each second => couriers jump across rivers
map-2 2025-03-28T10:00 code.web map mend + Ask for the position only while the phone moves => battery use falls by 60 percent @complain:1
spec-1 2025-04-11T10:00 code.go spec mend + Freeze the time in courier_spec => 500 runs, no failure @unreliable:2
disk-1 2025-06-04T11:00 ops.host disk mend + Rotate the logs and compress them => the volume is at 31 percent @down:2
disk-2 2025-06-04T15:00 ops.host disk mend + Page somebody at 80 percent => a drill woke Yusuf within a minute @down:1
hash-1 2025-05-05T10:00 code.go login mend + Swap bcrypt for argon2id at sign-in => 180 milliseconds each @protect
dep-1 2025-02-20T10:00 code.web deps mend + Update React to the newest major => two warnings left
dep-2 2025-04-14T10:00 code.go deps mend - Replace the router => URLs with umlauts break, taken back
pdf-1 2025-04-16T10:00 code.go label write + Print labels on A6 => the printer in Leeds cuts off two millimetres
pdf-2 2025-04-17T10:00 code.go label mend + Add a margin for the printer in Leeds => it fits
mail-1 2025-05-02T10:00 office.mail inbox write + Reply to the bank about the form => they want it signed by hand
mail-2 2025-05-08T10:00 office.mail inbox write + Thank the board for the flowers => sent
i18n-1 2025-05-21T10:00 code.web words write + Translate the mails to Polish => 84 texts, Lars's aunt read them
i18n-2 2025-05-22T10:00 code.web words test + Look for texts that overflow a button => six found and shortened
old-1 2025-06-12T10:00 code.web phones test - Open the tracker on an iPhone 6 => white screen, we no longer support it
old-2 2025-06-13T10:00 code.web phones mend + Show a friendly note on phones that are too old => Paola drew a sad pigeon
`
