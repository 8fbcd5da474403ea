// What the company sells, first shelves: food, drinks, cleaning and care. Prices in gourdes of 2026. See shelf.ts for the format.
export const foodShelves = `
  = 1 1 food HTG 14 1: Lakay, Ti Malis, Latibonit, Bon Gou, Gran Moun, Tropikal, Zetwal, Bèl Rekòt, Jaden Nou, Plenn Nò
    Diri blan            | Riz blanc long grain, sac de 25 kg            | mamit/sak*10 | 475 | 1-6
    Diri lokal           | Riz local de l'Artibonite                     | mamit/sak*10 | 640 | 1-6
    Diri jasmen          | Riz parfumé                                   | mamit/sak*10 | 590 | 1-5
    Diri ble             | Blé concassé                                  | mamit/sak*10 | 380 | 1-4
    Pwa kongo            | Pois congo secs                               | mamit/sak*20 | 650 | 1-4
    Pwa nwa              | Haricots noirs                                | mamit/sak*20 | 690 | 1-4
    Pwa wouj             | Haricots rouges                               | mamit/sak*20 | 725 | 1-4
    Pwa bè               | Pois beurre                                   | mamit/sak*20 | 710 | 1-3
    Mayi moulen          | Maïs moulu                                    | mamit/sak*10 | 290 | 1-5 | fen, mwayen, gwo
    Pitimi               | Petit mil                                     | mamit/sak*20 | 340 | 1-4
    Farin frans          | Farine de blé                                 | mamit/sak*18 | 275 | 1-5
    Sik wouj             | Sucre roux                                    | mamit/sak*20 | 360 | 1-4
    Sik blan             | Sucre blanc raffiné                           | mamit/sak*20 | 395 | 1-4
    Sèl                  | Sel de table iodé                             | lb/sak*50    | 30  | 1-10 | fen, gwo
    Manje poul           | Aliment pour volaille                         | lb/sak*100   | 38  | 5-50 | poussin, ponte, finition
  = 1 2 food HTG 20 1: Soley, Bon Gou, Lakay, Manman Cheri, Antilla, Kreyòl, Belle Source, Choukoun, Jaden Nou, Chodyè Plen
    Lwil vejetal         | Huile végétale                                | boutèy/kès*6 | 410 | 1-6  | 1 L, 1 gal*3.4, 5 gal*16.2
    Lwil oliv            | Huile d'olive                                 | boutèy/kès*12| 790 | 1-2  | 500 ml, 1 L*1.9
    Mantèg               | Graisse végétale                              | mamit/kès*12 | 320 | 1-3  | 1 lb, 3 lb*2.7
    Bè                   | Margarine                                     | po/kès*24    | 165 | 1-4  | 8 oz, 16 oz*1.85
    Espageti             | Pâtes alimentaires                            | pake/kès*20  | 65  | 2-12 | 350 g, 500 g*1.4
    Makawoni             | Macaroni coudé                                | pake/kès*20  | 70  | 2-10 | 350 g, 500 g*1.4
    Sadin nan lwil       | Sardines à l'huile                            | bwat/kès*50  | 95  | 2-12 | 125 g, 155 g*1.2
    Aran sò              | Hareng saur                                   | lb           | 425 | 0.5-4/0.05
    Lanmori              | Morue salée                                   | lb           | 640 | 0.5-3/0.05
    Pwason sale          | Poisson salé                                  | lb           | 510 | 0.5-3/0.05
    Lèt evapore          | Lait évaporé                                  | bwat/kès*48  | 125 | 2-12 | 12 oz, 14 oz*1.15
    Lèt an poud          | Lait entier en poudre                         | sache/kès*12 | 640 | 1-4  | 400 g, 900 g*2.1, 2.5 kg*5.4
    Pat tomat            | Concentré de tomate                           | bwat/kès*48  | 60  | 2-12 | 70 g, 210 g*2.1, 800 g*6.4
    Kib bouyon           | Cubes de bouillon                             | bwat/kès*24  | 210 | 1-4  | 24 kib, 60 kib*2.2
    Kafe moulen          | Café moulu d'Haïti                            | sache/kès*20 | 340 | 1-4  | 8 oz, 16 oz*1.9
    Chokola peyi         | Chocolat en boules                            | pake         | 225 | 1-3
    Manba                | Beurre d'arachide                             | po/kès*12    | 375 | 1-3  | dous, pike
    Konfiti              | Confiture                                     | po/kès*12    | 330 | 1-3  | gwayav, chadèk, zannanna
    Siwo myèl            | Miel                                          | boutèy       | 690 | 1-2  | 500 ml, 750 ml*1.45
    Kasav                | Cassave                                       | pake         | 150 | 1-5  | sik, manba*1.2, kokoye*1.15
    Bonbon sèl           | Biscuits salés                                | pake/kès*24  | 85  | 1-10
    Papita               | Chips de banane                               | sache/kès*30 | 50  | 2-12 | 45 g, 150 g*2.8
    Sòs pwa nwa          | Sauce de haricots noirs en boîte              | bwat/kès*24  | 190 | 1-6
    Epis kreyòl          | Épices moulues                                | po           | 260 | 1-3  | dous, pike
    Vinèg                | Vinaigre blanc                                | boutèy/kès*12| 145 | 1-4  | 500 ml, 1 gal*4.6
    Mayonèz              | Mayonnaise                                    | po/kès*12    | 390 | 1-3  | 15 oz, 30 oz*1.8
  = 2 3 food HTG 22 1: Belle Source, Dlo Pi, Antilla, Tropikal, Kokoriko, Fresko, Lagoun, Sous Kristal, Ti Gout
    Dlo trete            | Eau traitée                                   | boutèy/kès*24| 35  | 2-24 | 500 ml, 1.5 L*2, 5 gal*5
    Ji                   | Jus de fruits                                 | boutèy/kès*12| 130 | 1-8  | mango, gwayav, seriz, zoranj
    Kola                 | Boisson gazeuse                               | boutèy/kès*24| 60  | 2-24 | chanpay, fwi, rezen, limon
    Mòltak               | Boisson maltée                                | boutèy/kès*24| 85  | 1-12
    Bwason enèji         | Boisson énergisante                           | kanèt/kès*24 | 125 | 1-8  | 250 ml, 473 ml*1.6
    Akasan               | Crème de maïs en bouteille                    | boutèy       | 150 | 1-4
  = 2 4 food HTG 24 1: Bwa Kayiman, Gran Nò, Sitadèl, Vye Kay, Twa Rivyè, Kay Wonm, Mòn Wouj
    Byè blond            | Bière blonde                                  | boutèy/kès*24| 150 | 2-24 | 12 oz, 22 oz*1.7
    Wonm 3 zetwal        | Rhum 3 étoiles                                | boutèy/kès*12| 1450| 1-3  | 375 ml*0.6, 750 ml
    Wonm 5 zetwal        | Rhum 5 étoiles                                | boutèy/kès*12| 2600| 1-2  | 375 ml*0.6, 750 ml
    Kremas               | Liqueur de coco                               | boutèy/kès*12| 950 | 1-3  | 750 ml, 1 L*1.3
    Diven wouj           | Vin rouge                                     | boutèy/kès*12| 1500| 1-2
    Kleren               | Clairin                                       | galon        | 1100| 1-3
  = 3 5 food HTG 24 1: Klè, Blan Nèj, Fre, Lavi, Zafè Lakay, Pwòp, Rivyè Klè, Netwaye, Bèl Odè
    Savon lesiv          | Savon de lessive                              | ba/kès*40    | 75  | 2-10 | ble, blan, jòn
    Detèjan an poud      | Lessive en poudre                             | sache/kès*24 | 140 | 1-6  | 500 g, 1 kg*1.9, 5 kg*8.8
    Klorin               | Eau de Javel                                  | boutèy/kès*6 | 190 | 1-4  | 1 L, 1 gal*3.1
    Dezenfektan          | Désinfectant parfumé                          | boutèy/kès*12| 290 | 1-3  | lavand, pen, sitwon
    Savon veso           | Liquide vaisselle                             | boutèy/kès*12| 230 | 1-4  | 500 ml, 1 L*1.8
    Ensektisid           | Insecticide en aérosol                        | boutèy/kès*12| 390 | 1-3
    Bale                 | Balai                                         | inite        | 290 | 1-3  | pay, plastik
    Mòp                  | Serpillière avec manche                       | inite        | 520 | 1-2
    Sache fatra          | Sacs à ordures                                | pake/kès*24  | 240 | 1-4  | 13 gal, 30 gal*1.6, 55 gal*2.4
    Bouji                | Bougies                                       | pake/kès*30  | 110 | 1-6
    Alimèt               | Allumettes                                    | pake/kès*50  | 60  | 1-6
  = 3 6 food HTG 27 1: Lavi, Bèl Po, Fre, Ti Cheri, Flè Soley, Doudou, Swa, Karès, Bebe Kontan
    Savon twalèt         | Savon de toilette                             | ba/kès*72    | 90  | 1-8  | aloès, lèt, sitwon
    Papye ijyenik        | Papier hygiénique                             | pake/kès*12  | 160 | 1-6  | 4 woulo, 12 woulo*2.8
    Pat dantifris        | Dentifrice                                    | tib/kès*48   | 195 | 1-4  | 75 ml, 150 ml*1.7
    Bwòs dan             | Brosse à dents                                | inite/pake*12| 85  | 1-6  | timoun, granmoun
    Kouchèt bebe         | Couches pour bébé                             | pake/kès*6   | 720 | 1-4  | 1, 2*1.05, 3*1.1, 4*1.15, 5*1.2
    Sèvyèt ijyenik       | Serviettes hygiéniques                        | pake/kès*24  | 175 | 1-4
    Chanpou              | Shampooing                                    | boutèy/kès*12| 420 | 1-3  | 12 oz, 24 oz*1.75
    Losyon kò            | Lait corporel                                 | boutèy/kès*12| 480 | 1-2  | kokoye, kakawo, aloès
    Lwil maskriti        | Huile de ricin noire                          | boutèy       | 350 | 1-3  | 4 oz, 8 oz*1.8, 16 oz*3.3
    Dezodoran            | Déodorant                                     | inite/kès*24 | 330 | 1-3
    Lèt bebe             | Lait infantile                                | bwat/kès*12  | 1650| 1-4  | laj 1, laj 2, laj 3*0.95`
