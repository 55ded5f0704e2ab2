// Iris at home in Manchester, 2025, with her assistant and Dom. A block is a session, a line a message, a minute lies between two
// lines. `@word` at the end of a line, which is not stored, says that the line answers the question of that word in
// `synonym-question.ts`; `@word:2` helps much, `@word:1` a little. Every question shares words with lines that do not answer it.
export const homeTalk = `
# estate 2025-01-11T17:30
Iris: We drove home in the grey Skoda estate yesterday, 41,000 miles on the clock. @car
Assistant: Congratulations! Is the old Corsa sold already?
Iris: Not yet. And the resident's badge for it runs out on 3 October, so no hurry. @permit
Assistant: I can remind you in September.
Iris: Do. Which reminds me, the milk had expired, I poured it away.
Dom: The boot is big enough for both bikes.
Iris: And the toy car that Theo wanted fits as well.

# cinema 2025-01-18T23:00
Iris: Dom nodded off halfway through that Korean film about the poor family in the basement. @movie
Dom: I'd come off a night shift, leave me alone.
Assistant: Would you like something shorter next time?
Iris: Something funny. Wren wants a movie star cake for her party, that's all the glamour we need.
Dom: We fell behind with the washing again.
Iris: I'll do a load tomorrow.

# rent 2025-01-25T10:10
Iris: The landlord puts the flat up to 1,240 a month from June. @rent
Assistant: Is that within what the contract allows?
Iris: Just about. Dom says we could rent a garage for what he wants.
Assistant: Shall I look for places nearby?
Iris: Look, but don't tell the kids.
Iris: My sister's holiday apartment in Leeds is free at Easter, maybe we go there.

# boiler 2025-02-02T09:20
Iris: No hot water since Friday. Gary repaired the boiler this morning, it was a valve. @heating
Assistant: Did he leave a bill?
Iris: Ninety pounds. I settled it by bank transfer at once. @paid
Assistant: Good, then that's closed.
Iris: The plumber jokes at breakfast were all Dom's.
Dom: I'm heating up the soup, anyone?
Iris: The window cleaner hasn't been paid since autumn, I think he's forgotten us.

# cashews 2025-02-08T19:40
Iris: Our little girl comes out in hives when she eats cashews, it's the second time now. @allergy
Assistant: You should see somebody about it before it gets worse.
Iris: We have an appointment. I'm fine with everything except prawns, I throw up for hours after them. @sick
Assistant: I'll keep both in mind for recipes.
Iris: My daughter-in-law jokes are not ready yet, they are six and ten.
Dom: I'm allergic to mornings.
Iris: And the meal at the canteen was lovely today, for once.

# pressure 2025-02-14T08:30
Iris: GP reckons 150 over 95 is too high and wants me on ramipril. @doctor
Assistant: Once a day, in the morning?
Iris: Yes, and less salt. No coffee after four either or I lie awake. @evening @insomnia:1
Assistant: Noted.
Iris: I used to be good under pressure. The blood oranges are great this year, by the way.
Iris: Theo asked whether a doctor earns more than a pirate.

# garlic 2025-02-22T11:00
Iris: The second set for the front door hangs behind the meter, on the little hook. @key
Assistant: Should I tell Agnieszka?
Iris: She knows. She picks up the little ones at three and stays till six. @minder
Assistant: And on Fridays?
Iris: Fridays I finish early.
Dom: The spare tyre is in the boot, in case you look for it.
Iris: The key to a good soup is garlic, says my mother.

# whitby 2025-03-01T20:15
Iris: Dom and I tied the knot on 9 August 2014 in Whitby, in the rain. @wedding
Assistant: So it's eleven years this summer.
Iris: I want to go back there for a night, without children.
Assistant: The hotel on the cliff has rooms.
Iris: We were invited to a wedding in May as well, my cousin gets married to her dentist.
Dom: I have nothing to wear.
Iris: You have a suit, from 2014.

# paw 2025-03-08T12:30
Iris: Dr Pillai at the animal clinic looked at Biscuit's paw, a thorn was in it. @vet
Assistant: Does he need anything for the pain?
Iris: Half a Metacam tablet with breakfast for five days. @dogmedicine
Dom: He eats better than I do.
Iris: The dog food is nearly empty, put two bags on the list.
Assistant: Two bags are on the list.
Iris: And my uncle was a vet of the Falklands war, did you know?

# drum 2025-03-15T18:00
Iris: The washing machine gave up in the middle of a cycle, the drum won't turn. @appliance
Assistant: How old is it?
Iris: Twelve. I'll order a new one before the pile reaches the ceiling.
Dom: Theo has broken his drumsticks as well.
Iris: The kitchen appliances shop at the ring road is closing, 40 % off everything.
Assistant: They have three models in stock.
Iris: The cheapest, please. Broken promises are included, I guess.

# fringe 2025-03-21T17:10
Iris: Booked with Shanice at the salon, Thursday half four, just a trim and the fringe. @hair
Assistant: It's in the calendar.
Iris: The cat next to the salon has lost its hair, poor thing.
Iris: And Wren cuts paper into a million pieces all day.
Assistant: Snow for the next puppet theatre.
Iris: Exactly that.

# canal 2025-03-27T08:00
Iris: I cycle to work along the canal now, twenty-five minutes door to door. @commute
Assistant: That's faster than the tram.
Iris: And free. Somebody nicked my old bike from the station though, the lock was cut through. @stolen
Assistant: Did you report it?
Iris: Yes, they gave me a number and no hope.
Dom: The commute costs us a fortune, says the man in the news.
Iris: Who would have thought that a thief takes the rusty one.

# goal 2025-04-03T19:00
Iris: Theo has football on Tuesdays and Saturdays now, he's in goal. @sport
Assistant: Does he need gloves?
Iris: Two pairs. And Wren started the violin with Mr Abara, it's a brave man. @instrument
Assistant: Where does she practise?
Iris: In the bathroom, with the door shut.
Dom: My son the keeper! The sports pages wait.
Iris: The dentist had an instrument in his hand that scared her more than the violin scares us.

# hip 2025-04-09T20:00
Iris: Mum's hip gets done at the Royal on 14 May. @operation
Assistant: How long will she stay in?
Iris: Four nights. After that she comes to us.
Dom: I can ask on the ward who's good.
Iris: Mother's Day was lovely, the kids made pancakes.
Iris: The operation of the new oven is a mystery to me, it has nineteen symbols.

# telescope 2025-04-15T21:30
Iris: Ordered the telescope for Dom's fortieth, don't say a word when he's about. @present
Assistant: My lips are sealed. When is it?
Iris: The 2nd of May. He works that night, as paramedics do. @present:1 @job:2
Iris: The gift shop at the museum has nice cards, I need one.
Assistant: It's open until five.
Iris: My husband is coming, bye.

# loft 2025-04-22T09:45
Iris: The big bags are up in the loft behind the water tank, in case I forget again. @luggage
Assistant: Noted, behind the tank.
Iris: We need them in July. We've booked two weeks in a cottage on Crete. @vacation
Assistant: Lovely. Are the passports valid?
Iris: All four, I looked.
Dom: The suitcase words puzzle took me an hour, what's a portmanteau?
Iris: The vacation cover at my office is still not sorted.

# brick 2025-04-29T18:20
Iris: The mason wants 1,800 quid to redo the garden brickwork. @builder
Assistant: Is that with the stones?
Iris: With stones and skip. I said I'd think.
Dom: Bob the Builder would do it for a song.
Iris: The wall clock in the hall stopped, does it ask for a battery?
Assistant: Usually one AA.

# sage 2025-05-05T16:00
Iris: Two coats of sage green in the room where we sleep, it looks so calm. @paint
Assistant: Is there any left for the hall?
Iris: Half a tin.
Iris: The bedroom tax is in the news again.
Dom: Theo asked what colour the wind is.
Iris: Wren's paintings cover the fridge completely.

# bins 2025-05-09T07:00
Iris: Bin lorry comes on Fridays before seven, recycling every other week. @garbage
Assistant: I'll remind you on Thursday evenings.
Iris: Please. The Hendersons at number 9 always remember, show-offs. @neighbour
Assistant: They seem to be well organised.
Iris: They collected for the church roof as well. 'Garbage in, garbage out' is all I remember from school.
Dom: Love thy neighbour.

# smoke 2025-05-16T22:00
Iris: Last cigarette on New Year's Eve, and not one since. Twenty weeks! @smoking
Assistant: That's a big thing. How do you feel?
Iris: Hungry.
Iris: The smoke alarm beeps at night, the battery again.
Dom: I'll give it a new one.
Iris: Don't give up on the ladder, it's behind the shed.

# maths 2025-05-23T18:40
Iris: Theo's report came: top marks in art, struggling with maths. @subject
Assistant: Would a tutor help?
Iris: Maybe the girl from upstairs, she's at university.
Dom: I was the same.
Iris: It's a difficult subject, money, let's talk about it at the weekend.
Assistant: I've put it on Saturday.

# ankle 2025-06-01T10:00
Iris: Twisted my ankle on the stairs, six weeks without running. @injury
Assistant: Keep it up, with ice.
Iris: I know, I'm married to an ambulance.
Dom: It hurts me more than you.
Iris: My feelings got hurt when Wren laughed.
Assistant: Children have no mercy.

# owls 2025-06-08T01:10
Iris: I'm awake until three most nights, thinking about nothing at all. @insomnia
Assistant: Since when?
Iris: Since the pay talk. My salary goes up to 52,400 but so does the worry. @earn
Assistant: Would you like a breathing exercise?
Iris: No, I'd like a hammer for the owl outside.
Iris: I suffer from my own jokes, says Theo. I've earned that.

# lidl 2025-06-14T12:00
Iris: Veg at Lidl is half of what they take at Waitrose. @groceries
Assistant: Shall I move the weekly list there?
Iris: All but the fish.
Dom: Talk is cheap, I've always said that.
Iris: The food festival is in the park again, the last weekend of the month.
Assistant: It begins on Friday at four.

# terrace 2025-06-20T19:00
Iris: The surveyor says the place was built in 1911, a proper Edwardian terrace. @house
Assistant: That explains the tiles in the hall.
Iris: And the draught.
Dom: How old is that cheese?
Iris: Theo is a year off eleven and asks for a house of his own.
Assistant: With a moat, I assume.
`
