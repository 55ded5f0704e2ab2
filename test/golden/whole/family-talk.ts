// Nell's family in 2025: her daughter Ada, her mother's move, the cat, and a journey through Scotland. The form is that of
// `house-talk.ts`.
export const familyTalk = `
# biscuits 2025-03-05T20:10
Nell: Ada went to chess club after school today, first time. She says it's all boys and biscuits. @club
Assistant: Does she want to go again?
Nell: For the biscuits.
Nell: Her reading is behind, Mrs Lowe says. She guesses words from the first letter. @reading
Assistant: Has anybody tested her eyes?
Nell: Good point, I'll book her in at the optician.

# mum-call 2025-03-09T18:30
Nell: Mum fell on the stairs again. She says it's nothing but she can't stay in that house. @mum
Assistant: Is she hurt?
Nell: Bruised wrist. We talked for an hour and she agreed to look for something near us in Bristol. @mum
Assistant: Ground floor or a lift, I suppose.
Nell: Yes, two rooms and a bit of garden for her pots.
Josh: And not more than ten minutes from us.

# olive 2025-03-16T09:00
Nell: The cat isn't eating. Olive left her dinner two days running. @cat @symptom
Assistant: Is she drinking?
Nell: More than usual, actually. She sits by the tap all day. @cat @symptom
Assistant: I would ring the vet when they open tomorrow.
Nell: Will do.

# vet-one 2025-03-17T17:20
Nell: Took Olive to the vet. They took blood and gave her something against nausea. @cat @vet
Assistant: When do you get the results?
Nell: Thursday.
Nell: Ada tried drama club, hated being a tree. @club
Assistant: Trees have no lines to forget, at least.

# kidneys 2025-03-20T18:00
Nell: Blood results are in: it's Olive's kidneys, early stage. Special food for life. @cat
Assistant: Will she eat it?
Nell: She looks at me as if I'd served cardboard.
Nell: The optician says Ada needs glasses for close work! Nobody noticed in three years. @reading
Assistant: That may explain the guessing.
Nell: Exactly.

# redland 2025-03-29T17:00
Nell: First viewing for Mum, a flat in Redland, second floor and no lift. Pretty but no. @flat
Assistant: Was the agent told about the stairs?
Nell: Told, and ignored.
Nell: There's another one in Horfield next Saturday.
Josh: Ada got her water badge today, five metres without a noodle. @badge

# horfield 2025-04-05T16:40
Nell: Saw the Horfield place. Ground floor, but on the main road, you can't hear yourself think. @flat
Assistant: What did your mother say?
Nell: She couldn't hear me.
Nell: Olive was sick three times last night, all over the new rug. @cat @symptom
Assistant: Then the vet should see her again soon.
Nell: Tuesday, ten o'clock.

# vet-two 2025-04-08T12:00
Nell: Back from the vet with Olive, second visit. They gave her fluids under the skin and new tablets. @cat @vet
Assistant: How does she take tablets?
Nell: In a bit of soft cheese, the little snob.
Nell: Ada is reading a page aloud to me each evening now, with the glasses on. Slow, but no guessing. @reading

# bishopston 2025-04-12T18:10
Nell: Mum liked the one in Bishopston, ground floor with a yard. But it's a lease of 62 years only. @flat
Assistant: A short lease makes it hard to sell again.
Nell: That's what Josh says too.
Nell: We also want to do Scotland in the summer, the three of us in the car, ten days or so. @trip
Assistant: August is midge season, late June is better.
Nell: School ends in July. So midges it is.

# stgeorge 2025-04-26T17:30
Nell: Two viewings today. The one in St George smells of damp, the survey would be a horror. @flat
Nell: But Southville! Ground floor, a little garden, seven minutes from us, 268,000. @flat @mum
Assistant: How did your mother like it?
Nell: She was already placing her pots.
Josh: Then we should be quick.
Nell: Booked the ferry to Skye and a B and B in Portree for the August trip, before it's all gone. @trip

# offer 2025-04-29T19:00
Nell: Mum offered 260,000 for Southville this morning. @mum @purchase
Assistant: When will she hear?
Nell: By the weekend, they said.
Nell: Ada did coding club on Monday, she made a cat that barks. @club
Assistant: A good first program.

# accepted 2025-05-03T11:00
Nell: They took 264,000! Mum is over the moon. @mum @purchase
Assistant: Congratulations to her. Next come a solicitor and a survey.
Nell: Deb knows a solicitor, Anne Fairley.
Nell: Olive has lost weight, 3.1 kilos, and she sleeps in the bathtub. @cat @symptom
Assistant: Is she in pain?
Nell: I don't think so, but I've made an appointment.

# vet-three 2025-05-07T17:40
Nell: Vet number three for Olive: blood pressure is too high, she gets amlodipine now. @cat @vet
Assistant: Once a day?
Nell: In the morning, with the cheese.
Josh: Ada passed the twenty metre badge, she swallowed half the pool. @badge

# survey 2025-05-17T18:00
Nell: The survey of Mum's flat came: old wiring, otherwise sound. @mum @purchase
Assistant: Will she ask for something off the price?
Nell: Yes, we got 3,000 off because of the wiring. @mum @purchase
Nell: We should begin with Ada's party. She turns ten on 14 June and wants a treasure hunt. @party
Assistant: Indoors or in the park?
Nell: In Ashton Court, if it's dry. @party

# guests 2025-05-21T20:15
Nell: Party guests: eight girls, two boys, one of them can't have gluten. @party
Assistant: Then the cake should be without flour.
Nell: Deb bakes a flourless chocolate cake. @party
Nell: And I bought Ada's first present, a proper microscope. @gift
Josh: I thought I was getting that.

# zoo-trip 2025-05-30T19:20
Nell: Ada's teacher says her reading went up by two levels. I nearly cried at the gate. @reading
Assistant: The glasses and the evenings paid off.
Nell: Got her a head torch too, for the birthday. @gift
Assistant: Useful for the treasure hunt.
Nell: She gave up coding and does pottery club now, on Thursdays. @club

# exchange 2025-06-04T18:30
Nell: Contracts exchanged today for Southville. @mum @purchase
Assistant: So nobody can pull out any more.
Nell: Thank God. Moving day is the 27th.
Nell: Wrote the clues for the treasure hunt last night, eleven of them, in rhyme. @party
Josh: She rhymed microscope with telescope.

# wrapping 2025-06-11T21:20
Nell: Wrapped the book about volcanoes that I found for Ada. @gift
Assistant: Is that the last one?
Nell: One more: roller skates, size 3, purple. They came today. @gift
Nell: Olive has eaten well for three weeks in a row. @cat
Assistant: Then the tablets help.

# birthday 2025-06-14T20:30
Nell: Party over. It rained at clue four, everybody was soaked and delighted. @party
Assistant: Did the cake survive?
Nell: Not a crumb left. Ten children ate it in the bandstand. @party
Josh: She's wearing the skates in bed.

# keys 2025-06-27T19:00
Nell: Mum has the keys! Completion went through at noon. @mum @purchase
Assistant: Who helps with the boxes?
Nell: Josh, Marek and a van from Bath Road. Forty boxes, and half of them are pots. @mum
Josh: I counted nineteen pots.
Nell: She slept in her own bed by ten. @mum

# vet-four 2025-07-01T18:00
Nell: Olive's check-up today, fourth time at the vet. Kidneys are stable, pressure normal. @cat @vet
Assistant: When does she have to go again?
Nell: In October.
Nell: And Ada got her fifty metres, in the sea at Clevedon, with a jellyfish nearby. @badge
Assistant: That deserves an extra badge.

# wiring 2025-07-10T19:30
Nell: Ravi rewired Mum's flat, it took three days and 2,900 pounds. @mum
Assistant: That is close to what you got off the price.
Nell: Exactly what I told the agent.
Nell: Ada finished a whole book on her own, 212 pages about a wolf. @reading
Josh: She read it in the tree.

# packing 2025-07-30T20:00
Nell: Packing for Scotland. Midge nets, waterproofs, and Marek gave the tent back, aired. @trip
Assistant: Who looks after Olive?
Nell: Mum comes over twice a day, tablets and all. @trip
Josh: I checked the oil and the tyres.

# road 2025-08-02T21:30
Nell: Made it to the Lake District, one night in Keswick to break up the drive. @scot @trip
Assistant: How was the traffic?
Nell: M6. Say no more.

# castle 2025-08-03T21:00
Nell: Edinburgh today, we did the castle and Ada saw a man juggle chainsaws. @scot @trip
Assistant: The festival has begun then.
Nell: It has, and every bed costs 200.

# salmon 2025-08-05T20:45
Nell: We're in Pitlochry, watched salmon jump up the ladder for an hour. @scot @trip
Assistant: Did any make it?
Nell: Two. Ada cheered as if it was the cup final.

# ness 2025-08-06T20:30
Nell: Inverness. The boat on the loch, no monster, lots of rain. @scot @trip
Assistant: She only comes out for people without cameras.
Josh: I lost my hat to the loch. @lost

# skye 2025-08-08T21:15
Nell: Skye is unreal. The tent held in a storm, Ada slept through all of it. @scot @trip
Assistant: And the room in Portree?
Nell: From tomorrow. I need a bath.
Nell: She swam a hundred metres in the bay, in a wetsuit, that's another badge. @badge

# oban 2025-08-11T20:00
Nell: Last stop, Oban. Scallops on the pier, then home tomorrow in one go. @scot @trip
Assistant: Nine hours with breaks.
Nell: Best ten days in years. 1,730 miles, one lost hat, no arguments after day two. @trip
`
