// Nell's house in 2025: the roof, the kitchen, the garden, the neighbour, bills. A block is a session, a line a message, a minute
// lies between two lines. The words behind @ at the end of a line name the questions of `whole-question.ts` that the line belongs
// to; they are not stored.
export const houseTalk = `
# stain 2025-03-03T19:40
Nell: There's a brown stain on the bedroom ceiling, about the size of a plate. I think the roof is leaking. @roof
Assistant: Is it damp to the touch, and does it grow when it rains?
Nell: Damp, yes. It was raining sideways all weekend.
Assistant: Take photos before anything dries, you may need them later.
Nell: Took five photos just now, with a ruler beside the stain. @roof @roofstart
Josh: I put a bucket in the attic under the wet beam, two litres by this morning. @roof
Nell: Other thing, our contract with Brightwatt ends in April and they want 40 % more for the electricity. @energy
Assistant: Then compare a few tariffs before it renews by itself.
Nell: Later this week. I can't think about two bills at once.

# insurer 2025-03-07T18:15
Nell: Called the insurer about the ceiling. The claim is 77-3105 and they want a report from a roofer. @roof @roofstart
Assistant: Do you have somebody in mind?
Nell: Deb at number 14 used Tallis and Sons, they can look on Tuesday.
Assistant: I would ask for a second price as well.
Nell: Everyone else is booked out till summer.
Nell: Oh, and I lent our long ladder to Deb, remind me at Easter. @lent
Assistant: I'll remind you on Easter Monday.

# slates 2025-03-13T20:05
Nell: The man from Tallis was up there today. Cracked lead around the chimney and eleven slipped slates, he says. @roof
Assistant: That explains the wet beam.
Nell: He quotes 2,380 pounds for the roof, scaffolding included. @roof @roofstart
Assistant: Will the insurer pay for that?
Nell: Only for the ceiling inside, not for wear and tear outside. Typical.
Josh: We should have done it when we bought the place.
Nell: Anyway. I compared tariffs last night, Greenleap is the cheapest by far for our usage. @energy
Assistant: Do they need anything from you?
Nell: They only take people with a smart meter, so that has to be fitted first. @energy

# drums 2025-03-20T22:50
Nell: Mr Pryce is drumming again at half past ten. Second time this week, Ada can't sleep. @noise
Assistant: Have you talked with him?
Nell: Not yet, I banged on the wall like a coward.
Assistant: A calm chat on a Saturday morning usually works better.
Josh: I'll bake something and we go over together.
Nell: Good plan. Also the tomato seeds are in the trays on the sill, Gardener's Delight. @planted @garden

# scaffold 2025-03-27T17:30
Nell: Scaffolding went up today and it blocks half of Deb's drive. She was nice about it. @roof
Assistant: When do they begin?
Nell: Monday, weather permitting.
Nell: Talked to Mr Pryce by the way. He didn't know we hear it, he'll stop at nine from now on. @noise @pryce
Assistant: That went better than feared.
Josh: The banana bread did it.

# chimney 2025-04-02T18:40
Nell: New lead round the chimney is done and the slates are back. Took them two days. @roof
Assistant: Has it rained since?
Nell: A proper downpour last night and the bucket stayed dry. @roof
Josh: The smart meter was fitted as well, the chap was in and out in forty minutes. @energy
Assistant: So you can sign with Greenleap now.
Nell: Signing tonight.

# ceiling 2025-04-09T19:10
Nell: Greenleap took us over on the first reading, Brightwatt sent a final bill of 61 pounds. @energy
Assistant: Keep that letter for a year.
Nell: The insurer's man measured the ceiling, they pay 640 for plaster and paint minus 200 excess. @roof
Assistant: And the Tallis invoice?
Nell: Paid this morning, the whole 2,380. Ouch. @roof
Nell: So no more leaks, touch wood. Now I want the kitchen done at last.
Assistant: Do you want a list of things to decide first?
Nell: No, I want a cup of tea.

# beds 2025-04-12T15:20
Nell: Potatoes are in the ground, two rows of Charlotte. @planted @garden
Assistant: Earth them up when the shoots are a hand high.
Nell: And the slugs have eaten every single lettuce I had under glass. @planted @garden
Josh: Every. Single. One.
Nell: Putting out beer traps tonight. @slug
Assistant: Sink the cups so that the rim stands a little above the soil.
Nell: I also put broad beans along the fence. @planted @garden

# units 2025-04-17T20:30
Nell: We chose the kitchen units, the dark green ones from Harrow Joinery, 7,900 with worktop. @kitchen
Assistant: How long do they take?
Nell: Six weeks. The old kitchen has to be out by the end of May.
Josh: I have a sledgehammer and I'm not afraid of it.
Nell: He has borrowed a sledgehammer.
Nell: Beer traps caught exactly three slugs and one hedgehog got tipsy. Useless. @slug
Assistant: Copper tape around the pots may help.
Nell: Bought a roll of copper tape. @slug

# easter 2025-04-21T10:00
Assistant: You wanted to be reminded of the long ladder, which is at Deb's.
Nell: Thanks, she needs it one more week.
Nell: I gave the tent to Marek for the bank holiday, by the way, he promised to air it. @lent
Assistant: Noted, Marek has the tent.
Nell: Painted the hallway yesterday, warm white, finally. @painted
Josh: My back says hello.

# sofa 2025-05-02T19:00
Nell: Ordered the corner sofa from Loungely, 1,150, delivery on the 14th. @sofa
Assistant: Does it fit through the hallway?
Nell: Measured three times. It comes in two parts.
Nell: Copper tape does nothing either, they just climb over it. I'm ordering nematodes. @slug
Assistant: Nematodes need warm and moist soil, at least five degrees.
Nell: It's May. If it isn't warm now I give up.

# party-noise 2025-05-10T23:55
Nell: Mr Pryce has a band in there now. It's nearly midnight!! @noise
Assistant: Would you like me to note the time and what you hear?
Nell: Yes, start a diary, the council wants dates for a complaint. @noise @pryce
Assistant: Entered: 10 May, band, until midnight at least.
Josh: They're playing Toto. Badly.

# delivery 2025-05-14T18:20
Nell: The sofa arrived and one half is grey and the other half is blue. I can't even. @sofa
Assistant: Did you sign for it?
Nell: Signed with a remark, and sent photos to Loungely within the hour. @sofa
Josh: I kind of like it.
Nell: You do not.
Nell: We did Ada's room today, pale yellow, two coats. @painted

# demolition 2025-05-24T17:45
Nell: Josh tore out the old kitchen today, the skip is full. @kitchen
Assistant: Anything nasty behind the units?
Nell: Rotten floor under the sink, somebody had a leak there for years. @kitchen
Josh: Carpenter needed, I know when I'm beaten.
Nell: Also, nematodes worked!! Not one slug since last week. @slug @garden
Assistant: Repeat it after six weeks, then they stay away.

# sparks 2025-05-28T20:00
Nell: The electrician came first, Ravi, he put in a new ring for the oven. @trade @kitchen
Assistant: Did he give you the certificate?
Nell: He emails it on Friday.
Nell: Loungely offers a 10 % discount if we keep the two-tone sofa. I said no. @sofa
Assistant: You have fourteen days to send it back in any case.
Nell: I know, I told them so.

# floor 2025-06-03T19:30
Nell: Carpenter was in today and replaced the rotten boards, 420 pounds. @trade @kitchen
Assistant: Is the subfloor dry?
Nell: He left a fan running on it.
Nell: Courgettes went out into the big bed, three plants, that's surely too many. @planted @garden
Josh: You say that every year.
Nell: The drums stopped at nine all week, I'm almost worried about him.

# pipes 2025-06-06T18:10
Nell: Plumber moved the sink pipes to the window wall this morning. @trade @kitchen
Assistant: Is there water in the house tonight?
Nell: Only upstairs. We wash up in the bath, like students.
Josh: It's romantic.
Nell: Loungely picked up the blue half at last. @sofa

# plaster 2025-06-11T21:00
Nell: The plasterer did the kitchen walls today, a lovely quiet woman called Jo. @trade @kitchen
Assistant: Plaster wants a week or so before paint.
Nell: She did the bedroom ceiling too, so the stain is gone for good. @roof
Nell: The council wrote to Mr Pryce, he came over and apologised. He'll soundproof the cellar. @noise @pryce
Assistant: Shall I close the diary?
Nell: Keep it until we hear nothing for a month. @noise

# bedroom-paint 2025-06-20T19:15
Nell: Bedroom painted, ceiling too, a sort of misty blue. @painted
Assistant: Two down, or three?
Nell: Don't count, it makes me tired.
Nell: A grey half for the sofa came today, so now it matches. Sat on it for an hour. @sofa
Assistant: Did they pay for your trouble?
Nell: 80 pounds as a voucher. Fine. @sofa
Nell: Deb has our hedge trimmer now, she swapped it for the ladder. @lent

# fitters 2025-06-25T20:20
Nell: Fitters from Harrow were here two days, the green units are in. @trade @kitchen
Assistant: Does everything close properly?
Nell: One drawer front is scratched, they send a new one. @kitchen
Nell: And the tiler begins tomorrow behind the hob.
Josh: I can see the end of takeaway curry.

# tiles 2025-06-28T18:00
Nell: Tiler finished, zellige tiles, wonky in a good way. @trade @kitchen
Assistant: What is left then?
Nell: The drawer front and the paint, that's all.
Nell: First courgette today. The potatoes are flowering. @garden
Josh: Here it begins.
Nell: Mr Pryce's cellar is lined with foam now, can't hear a thing. Close the diary. @noise
Assistant: Closed, with seven entries.

# done 2025-07-06T16:30
Nell: Kitchen painted, off-white, and the new drawer front is on. We're DONE. @painted @kitchen
Assistant: Congratulations! What did it come to?
Nell: 11,640 all in, which is 640 over the plan. @kitchen
Josh: Worth it. I made an omelette.
Nell: I put leeks where the beans were, for winter. @planted @garden
Assistant: And the beans?
Nell: Four kilos, podded and in the freezer. @garden

# blight 2025-07-24T19:50
Nell: The tomatoes have blight, brown patches on the stems, I pulled them all out. @garden
Assistant: Put them in the bin, not on the compost.
Nell: Did that. At least we dug nine kilos of Charlotte. @garden
Nell: Greenleap's first quarter came: 94 pounds less than with Brightwatt. @energy
Josh: That's the tiler's lunch paid.
Nell: Lent the jigsaw to Mr Pryce for his cellar door. Peace at last. @lent
Assistant: Noted, the jigsaw is at Mr Pryce's.
`
