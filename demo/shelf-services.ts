// What is not taken from a shelf: services, kits that are put together, and special items. See shelf.ts for the format.
export const serviceShelves = `
  = 11 26 building HTG 60 2:
    Coupe de tôle        | La coupe                                      | Unité | 75   | 1-10
    Coupe de bois        | La coupe                                      | Unité | 50   | 1-12
    Mise à la teinte     | Mélange de peinture à la machine              | Galon | 150  | 1-5
    Pliage de fer        | Cadres et étriers                             | Unité | 25   | 20-150/10
    Pose de carrelage    | Le mètre carré                                | m²    | 950  | 6-40
  = 11 26 energy USD 55 2:
    Installation panneaux solaires | Par panneau, matériel de fixation non compris | Unité | 25 | 2-8
    Installation d'onduleur | Mise en service et réglages                | Unité | 85   | 1-1 | 1,5 à 3 kW, 5 à 12 kW*2
    Entretien de génératrice | Vidange, filtres, essai en charge         | Unité | 65   | 1-1 | essence, diesel*2.2
    Étude solaire        | Visite et bilan de consommation               | Unité | 50   | 1-1
    Réparation d'onduleur| Diagnostic et main-d'œuvre                    | Heure | 30   | 1-4
  = 11 26 auto HTG 60 2:
    Montage de pneu      |                                               | Unité | 350  | 1-4 | auto, camion*2.5
    Équilibrage          |                                               | Unité | 300  | 2-4
    Vidange              | Main-d'œuvre                                  | Unité | 750  | 1-1 | auto, pick-up*1.4
  = 11 26 school HTG 65 2:
    Photocopie           | Noir et blanc                                 | Page  | 10   | 5-120/5
    Reliure              | Reliure spirale                               | Unité | 250  | 1-4
    Broderie d'écusson   | Sur uniforme fourni                           | Unité | 175  | 1-12
  = 11 27 home HTG 45 2:
    Livraison à domicile |                                               | Course| 750  | 1-1 | zone 1, zone 2*1.7, zone 3*2.7, province*6
    Installation de climatiseur | Pose et mise en service                | Unité | 9500 | 1-2
    Location échafaudage | Par jour                                      | Jour  | 1250 | 1-10
    Location génératrice | Par jour, carburant non compris               | Jour  | 6500 | 1-3
  = 7 28 energy USD 21 3: Fòs Plis, Heliana, Zenit
    Kit solaire résidentiel | Panneaux, onduleur, batteries et câblage   | Kit   | 690  | 1-1 | 500 W, 1 kW*1.8, 3 kW*4.6, 5 kW*7.4
    Kit éclairage solaire| Panneau, régulateur, 4 lampes                 | Kit   | 89   | 1-4
    Kit d'alarme solaire | Caméra, panneau et batterie                   | Kit   | 145  | 1-2
  = 1 28 food HTG 16 3:
    Panye manje          | Riz, pois, huile, sucre, sardines             | Panye | 3900 | 1-5 | fanmi, gwo fanmi*1.7
    Panye fèt            | Panier de fin d'année                         | Panye | 7500 | 1-3 | senp, deliks*1.8
    Twous ijyèn          | Savon, dentifrice, brosse, serviettes         | Twous | 1150 | 1-20
  = 10 28 school HTG 22 3:
    Kit lekòl            | Sac, cahiers, stylos, trousse de géométrie    | Kit   | 3450 | 1-4 | primè, segondè*1.35
  = 6 28 building USD 25 3: Fòs, Chantye
    Trousse de maçon     | Truelle, niveau, fil à plomb, mètre           | Kit   | 39   | 1-2
    Trousse de plombier  | Clés, filasse, scie et colle                  | Kit   | 58   | 1-2
  = 12 29 home HTG 12 4:
    Carte-cadeau         | Valable un an dans tous les magasins          | Unité | 1000 | 1-2 | 1000 HTG, 2500 HTG*2.5, 5000 HTG*5
    Consigne bouteilles  | Dépôt remboursable                            | Kès   | 300  | 1-6
    Frais de dossier     | Commande spéciale                             | Unité | 500  | 1-1
    Article en solde     | Fin de série, ni repris ni échangé            | Unité | 450  | 1-3 | petit, moyen*2.2, grand*5
    Frais de douane refacturés | Sur commande spéciale                   | Unité | 4500 | 1-1
    Pièce sur commande   | Commandée chez le fabricant                   | Unité | 6200 | 1-2`
