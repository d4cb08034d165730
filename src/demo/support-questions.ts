/**
 * Questions to the shop of `demo/support` and what is right, one a line: `question | reference`; an indented line goes
 * on. All of it was written for this demo; the shop does not exist. A question about an order begins with its number.
 */
export const SUPPORT_QUESTIONS: Readonly<Record<string, string>> = {
  billing: `
Why was my card charged twice on the same day? |
  The second line is an authorisation. Your bank releases it within 5 working days; only one amount is taken.
Can I get an invoice with our company name on it? |
  Yes. Add the company name and VAT number under Account > Invoices, and the invoice is issued again.
Do you take payment by bank transfer? | Yes, for orders above 200 euros. We ship when the transfer has arrived.
I entered the voucher WELCOME10 but paid the full price. |
  The voucher needs an order of at least 50 euros. Below that it is not applied, and it stays valid.
When is my credit card charged? | When the parcel leaves our warehouse, not when you order.
Can I pay in three instalments? | Yes, without interest, for orders from 150 to 1,500 euros.
My invoice shows 19 percent VAT, but I live in Austria. |
  We charge the rate of the country that we deliver to, so it must be 20 percent. Send us the invoice number and we
  correct it.
Where can I find last year's invoices? | Under Account > Invoices. They stay there for ten years.
Can I combine two gift cards in one order? | Yes, up to five gift cards in one order.
How long is a gift card valid? | Three years, to the end of the year in which it was bought.
My PayPal payment is marked as pending. What now? |
  Pending payments are settled within 24 hours. If not, the order is cancelled and nothing is taken.
Do you charge a fee for paying by card? | No. We charge no fee for any way of paying.
I was charged for express delivery that I did not choose. |
  Express is chosen by default for orders before noon. We refund the difference of 6 euros.
Can I change the way of paying after I ordered? | Yes, until the parcel is packed, under Orders > Change payment.
Why is the price in the basket higher than on the page? |
  The page shows the price without the recycling fee, which the law makes us add in the basket.
Can I get my student discount afterwards? | Yes, within 14 days after the order. Send us a photo of your student card.
Do you offer a discount for 20 kettles? | From 10 pieces there are 8 percent, from 50 pieces 12 percent.
Why do I pay customs for a parcel to Switzerland? |
  Switzerland charges import VAT of 8.1 percent. The carrier collects it at the door.
Is the deposit for the loan machine refunded? | Yes, within 7 days after the machine has come back to us.
My subscription for filters was renewed. Can I cancel it? |
  Yes, within 30 days after the renewal, with a full refund for filters that were not shipped.
I paid twice for the same order by mistake. |
  We refund the second payment within 3 working days, to the account that it came from.
What does "MKT*KETTLECO" on my bank statement mean? |
  That is our shop. The name is followed by the first six digits of the order.`,
  delivery: `
A-1042: where is my parcel? | It left the depot in Kassel this morning and arrives tomorrow between 10 and 12.
A-1077: the tracking has not moved for three days. |
  The parcel waits for a missing house number. Confirm your address and it is delivered the next day.
A-1103: it says delivered, but I have nothing. | The driver left it with the neighbour at number 14.
A-1118: can you deliver on Saturday? | Yes. Saturday costs nothing extra for this address.
A-1125: please send it to my office instead. | The parcel has not left yet, so the address was changed to the office.
A-1131: when will the second parcel arrive? | The second parcel follows on Thursday. It comes from another warehouse.
A-1149: I will be away next week. Can it wait? |
  Yes. The depot keeps it for 14 days; choose a day under the tracking link.
A-1156: the courier wants a code. Which one? |
  The code is the last four digits of the order number, in the mail of this morning.
A-1160: is my order packed already? | Yes, it was packed at 8:40 and is collected at 15:00.
A-1172: I chose a pick-up point by mistake. |
  The parcel is under way and cannot be redirected to your home. It waits 7 days at the pick-up point.
A-1188: why does the date of delivery keep changing? |
  The lorry was held at the border. The new date is final: Wednesday.
A-1190: will the machine be carried to the fourth floor? |
  Yes. Parcels above 30 kilos come with two people, to the place where you want it.
How long does delivery take within Germany? | One to two working days.
How long does delivery take to France? | Three to four working days.
What does delivery cost? | 4.90 euros, and nothing from 49 euros on.
Do you deliver to Norway? | No. We deliver to the countries of the European Union and to Switzerland.
Can I collect my order in the shop? | Yes, in Kassel and Bremen, two hours after the order.
Do you deliver to parcel lockers? | Yes, up to 31 kilos and 60 by 60 by 120 centimetres.
What happens if nobody is at home? |
  The courier tries again on the next working day, then leaves it at the nearest pick-up point.
Is there a way to have less packaging? |
  Yes. Choose reusable packaging in the basket, and give it back with the next parcel.
Until when must I order to have it tomorrow? | Until 16:00 on working days.
Can I have the parcel delivered in the evening? | Yes, from 18:00 to 21:00 in cities, for 3 euros.`,
  returns: `
How long can I return a kettle? | Within 60 days, unused or tried out at home.
Can I return a machine that I used twice? | Yes, within 60 days. Traces of trying it out do not matter.
Who pays for the return? | We do. The label is free within the European Union.
How do I get a label for the return? | Under Orders > Return. It comes by mail, and as a code that needs no printer.
When do I get my money back? | Within 5 working days after the parcel has reached us, in the way that you paid.
Can I exchange a red toaster for a black one? |
  Yes. Choose Exchange instead of Return, and the black one leaves at once.
I threw the box away. Can I still send it back? | Yes. Any solid box will do.
Can I return something in the shop? | Yes, in Kassel and Bremen, with the order number.
I got a gift. Can I return it without the order? | Yes. The number on the gift note is enough, and you get a voucher.
Can I return coffee beans? | No. Food cannot be returned once it was shipped.
Can I return an opened water filter? | No, for reasons of hygiene. Closed ones within 60 days.
My return was received two weeks ago and I have no refund. |
  That is too long. Send the number of the return and we refund today.
Can I return only one of three mugs? | Yes. The label is good for any part of the order.
Is the delivery fee refunded as well? | Yes, where all of the order is returned.
Can I return sale items? | Yes, like everything else, within 60 days.
The label has expired. What now? | Ask for a new one under Orders > Return; it is free.
Can I send two orders back in one parcel? | Yes. Put both notes into the parcel and use one of the labels.
From where to where do the 60 days count? |
  From the day on which the parcel was delivered to the day on which you send it back.
Can I return an engraved coffee pot? | No. What was made for you cannot be returned, unless it is faulty.
I sent back the wrong machine. | We send it to you again without cost; tell us its serial number.
Do I have to give a reason? | No. A reason helps us, but none is needed.
Can a courier collect the return? | Yes, for parcels above 30 kilos, without cost.`,
  account: `
How do I change my password? | Under Account > Security. You stay signed in on this device.
I do not get the mail to reset my password. |
  Look into the spam folder. The mail comes from no-reply@kettle.example and is valid for one hour.
Can I change the email address of my account? | Yes, under Account > Profile. Both addresses get a mail to confirm.
How do I delete my account? | Under Account > Privacy. Orders are kept for ten years, as the law asks.
Can I have two accounts with one address? | No. Each address has one account.
How do I switch on two-factor sign-in? | Under Account > Security, with any authenticator app.
I lost my phone and cannot sign in. |
  Use one of the ten backup codes. Without them we check your identity by post, which takes five days.
Where do I see my points? | Under Account > Points, where a purchase appears after 60 days.
Do points expire? | Yes, two years after they were earned.
How do I stop the newsletter? | With the link at its end, or under Account > Messages. It takes effect at once.
Can my partner see my orders? | Not unless you share the household under Account > Household.
My account is locked. Why? | After ten wrong passwords it is locked for 30 minutes.
How do I export my data? | Under Account > Privacy > Export. The file is ready within a day.
Can I order without an account? | Yes, as a guest. The order can be added to an account later.
How do I add a second delivery address? | Under Account > Addresses, up to twenty of them.
Why do you ask for my date of birth? | Only for knives and alcohol, whose buyers must be 18.
Can I change the language of mails? | Yes, under Account > Profile: German, English, French or Dutch.
Who can see my reviews? | Everybody, under the first name. You can hide each under Account > Reviews.
Can I sign in with a passkey? | Yes. Add one under Account > Security.
How do I make a business account? | Under Account > Business, with the VAT number; it is checked within a day.
I see an order that I did not make. |
  Change your password at once and write to us; we stop the order before it is shipped.
Are my card details stored? | No. The payment provider keeps them; we have the last four digits only.`,
  warranty: `
My kettle leaks after eight months. |
  The warranty of three years covers it. We send a new lid, or a new kettle where that does not help.
How long is the warranty? | Three years on machines, ten years on motors.
Does the warranty cover limescale? | No. Descale the machine every two months; a set costs 9 euros.
Do I need the receipt? | No. The serial number is enough.
Where is the serial number? | Below the base, it begins with KC and has nine digits.
The toaster trips the fuse. | Stop using it. We exchange it without cost, also after the warranty.
Can I repair it myself? | Yes. Parts and instructions are under Help > Repair, and the warranty stays.
How long does a repair take? | Eight working days, and you get a loan machine for a deposit of 50 euros.
Is there a warranty on second-hand machines? | Yes, one year on machines from our own workshop.
The glass jug broke when I dropped it. | That is not covered. A new jug costs 24 euros.
The display shows E07. | E07 is an empty tank or a stuck float. Fill the tank and move the float once.
Coffee comes out cold. | Descale it first. If it stays cold, the thermostat is exchanged under the warranty.
Does the warranty hold abroad? | Yes, in all countries that we deliver to.
Can I transfer the warranty when I sell it? | Yes, it belongs to the machine.
You repaired it, and it broke again. | A part that fails again within a year is exchanged, or the machine is.
Do you sell spare seals? | Yes, a set of three for 6 euros under Help > Parts.
Who pays for sending it in? | We do, in both directions.
My mixer smells burnt. | Unplug it. The motor has a warranty of ten years; send it in and we exchange it.
The filter light stays on after the change. | Hold the filter button for five seconds until it blinks twice.
Is descaling with vinegar a problem? | Yes. It attacks the seals; use citric acid instead.
What if a part is no longer made? | Then you get the machine that followed it.
How do I register the machine? | You need not. The warranty begins with the delivery.`,
};
