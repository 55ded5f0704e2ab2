// The first ten of questions with the embedder `meaning`, as every host must rank them. `node test/eval/write-meaning.ts` writes
// this file.
export const beliefsRanking = `
What's Valkey doing in chapter three? => valkey novel handbook budget friday
typsecript => ts pnpm
who is olu => olu
tabs or spaces? => tabs
how long are borg backups kept => borg nadia
grafanna alarms => grafana
What is Ines afraid of? => ines novel tabs handbook borg sentry friday
the glass harbour => novel
I need to plan the menu for the summer party with everybody and their families, what was the food preference => vegan budget
can i call nadia or should i mail her => nadia phone
the offsite, when and how many => kyoto
pacakge manager => pnpm
who won the football cup =>
what did the dentist say about molars =>
Zanzibar =>
hmm what was it with sentry, we talked so long about the whole quarter and the numbers that i lost the thread => sentry standup nadia
the rust thing, was it worth it => rust
pull requsts that touch money => review budget
Mr Haas => piano
which colour is the shared car => car
when do i run => run friday
okay so my sister wants to visit in autumn and asked about trains and hotels and all that, how high is the travel budget => budget
indentaton => tabs standup
Oluwaseun => olu
is it fine to try calling at one => phone review nadia run olu grafana standup friday
how old is the heroine of her book => ines novel car
in which format do we write the team handbok => handbook nadia valkey
recipe for goulash =>
how deep is lake Baikal => ines valkey
mortgage =>
`
