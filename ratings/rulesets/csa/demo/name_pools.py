"""Pools of names in South Africa's languages. All people made of them are invented."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ratings.equipment.demo import Pool, pool

_pool = partial(pool, second_names=True)
POOLS: Mapping[str, Pool] = {
    "zulu": _pool(
        "Sipho Thulani Bongani Sibusiso Mandla Nkosinathi Siyabonga Lwazi Sanele Mthokozisi Sandile"
        " Ayanda Mpendulo Senzo Langelihle Musa Vusi Njabulo Sizwe Themba Wandile Zakhele",
        "Nomvula Thandeka Zanele Nokuthula Sibongile Ntombi Lindiwe Nonhlanhla Busisiwe Hlengiwe Nompilo"
        " Samkelisiwe Zinhle Amahle Londiwe Ayanda Nomcebo Thobile Silindile Mbali",
        "Dlamini Khumalo Zulu Ndlovu Mkhize Buthelezi Cele Ngcobo Zungu Mthembu Sithole Gumede Hadebe"
        " Shabalala Ntuli Mchunu Zondi Dube Nxumalo Msomi Myeni Xaba Majola Ngubane Shezi Biyela",
    ),
    "xhosa": _pool(
        "Lwando Luyanda Mzwandile Sivuyile Xolani Anele Unathi Mihlali Lukhanyo Siphosethu Athenkosi"
        " Bulelani Khanya Mncedisi Onke Phakamile Thembinkosi Vuyo Ziyanda Zolani",
        "Nomfundo Asanda Babalwa Nosipho Yonela Zukiswa Sinovuyo Lilitha Nomonde Aphiwe Esona Siphokazi"
        " Vuyokazi Olwethu Ntombizanele Phumeza Bulelwa Akhona",
        "Mbekela Ngxola Mqhayi Jordaan Nkosi Ntshanga Gqirana Mabandla Qwabe Sigcau Tshaka Mfeketo"
        " Ntantiso Bavu Jijana Makeleni Dyantyi Fihla Magwaza Sodladla Nongxa Ngcuka Mpahlwa Mdingi"
        " Lolwana",
    ),
    "sotho": _pool(
        "Thabo Tshepo Teboho Lehlohonolo Mpho Katleho Neo Retselisitsoe Tumelo Thabiso Kabelo Lebohang"
        " Moeketsi Paballo Seabata Tlotlo Khotso Rorisang",
        "Lerato Palesa Dineo Refilwe Puleng Mamello Keneuoe Relebohile Nthabiseng Boitumelo Limpho Mpho"
        " Thato Bohlokoa Itumeleng Dikeledi Reitumetse",
        "Mokoena Mofokeng Motaung Tau Molefe Nhlapo Mohapi Sello Lekoto Ramohlale Thulo Motloung Selepe"
        " Lephoto Moloi Tsotetsi Radebe Mosia Motsoeneng Khoza Letsoela",
    ),
    "tswana": _pool(
        "Kagiso Tebogo Thuso Oratile Kgosi Lesego Onalenna Boipelo Thapelo Mothusi Gosego Atlegang"
        " Tshiamo Olebogeng Tiro Realeboga",
        "Keabetswe Kelebogile Gaone Tshegofatso Naledi Amogelang Goitseone Bontle Masego Larona Omphile"
        " Resego Sethunya Tlhogonolofatso Boikanyo",
        "Modise Molefi Seleka Kgosana Moilwa Mogale Phiri Sebego Tlhabane Mogotsi Morapedi Setlhare"
        " Mokgosi Lekgetho Montshiwa Sehularo Gaboutloeloe Moagi Ntshole",
    ),
    "pedi": _pool(
        "Lesiba Kgothatso Phuti Thabang Matome Sello Ngoako Hlompho Tshwarelo Kgaogelo Mahlatse Makgabo"
        " Tumi Lethabo",
        "Mmapula Kgaugelo Raisibe Mokgadi Ramasela Koketso Mahlako Lebogang Matlhodi Pheladi Tebatso"
        " Thabitha",
        "Mashaba Ledwaba Maloka Kekana Mothapo Mphahlele Ramaila Seshoka Moloto Letsoalo Maake Sekgobela"
        " Chuene Mabotja Rapetsoa Legodi Makgoba Phasha Malatji",
    ),
    "venda": _pool(
        "Rendani Mulalo Tshifhiwa Ndivhuwo Vhutshilo Rotondwa Mashudu Khathutshelo Fhatuwani Thendo"
        " Livhuwani",
        "Azwinndini Takalani Mukondeleli Rudzani Lufuno Mpfariseni Dakalo Ndamulelo Phathutshedzo Unarine",
        "Mudau Netshitenzhe Ramabulana Tshivhase Nemakonde Mulaudzi Ravele Sikhwari Makhado Nethononda"
        " Muthivhi Madzivhandila Phaswana Rambau",
    ),
    "tsonga": _pool(
        "Tiyani Hlulani Vutomi Ntsako Masingita Nkateko Rhulani Xihluke Wisani Mikateko Basani",
        "Tsakani Ntwanano Hlawulani Nyeleti Vongani Ripfumelo Tintswalo Rivoningo Khensani Makhanani Lulama",
        "Baloyi Maluleke Chauke Mathebula Hlungwani Nkuna Shivambu Mabunda Rikhotso Mabasa Makhubela"
        " Ngobeni Mbowe Sambo Valoyi",
    ),
    "swati": _pool(
        "Mancoba Sikhumbuzo Mfanafuthi Sabelo Celimpilo Majahonkhe Mduduzi Sifiso Wonder Bonginkosi",
        "Tengetile Nomcebo Temalangeni Phindile Lomagugu Gcinile Sizakele Notsile Zandile Fikile",
        "Mabuza Mnisi Nkambule Shongwe Maseko Simelane Lukhele Magagula Mavuso Thwala Malaza Motsa"
        " Fakudze Mahlangu Skosana Mtsweni",
    ),
    "afrikaans": _pool(
        "Pieter Johan Hendrik Willem Francois Jaco Ruan Dewald Christo Gerhard Andries Stefan Barend Deon"
        " Etienne Heinrich Kobus Marnus Riaan Schalk Tiaan Wian Zander Ockert",
        "Anneke Elsabé Marelize Chanté Liezel Riana Karlien Suné Hanlie Mariska Nadine Annelie Carina"
        " Ilse Jolandi Petro Wilma Zelda Anja Mieke",
        "Botha van_der_Merwe Pretorius Venter Nel Coetzee du_Plessis Kruger Steyn van_Wyk Fourie Joubert"
        " Swanepoel Viljoen le_Roux Erasmus Bezuidenhout Potgieter Olivier van_Zyl Marais Cilliers Lombard"
        " Vermeulen Strydom Basson Rossouw de_Klerk",
    ),
    "english": _pool(
        "James Michael David Ryan Matthew Luke Andrew Graham Craig Daniel Nicholas Sean Trevor Adam"
        " Connor Ethan Joshua Benjamin Neil Keith",
        "Sarah Emma Jessica Catherine Megan Hannah Rachel Claire Lauren Amy Bronwyn Nicola Olivia Kate"
        " Leigh Tamsin Georgia Alison",
        "Thompson Campbell Harris O'Brien Wright Baxter Fletcher Hughes Lawson Pearce Stewart Whitfield"
        " Barlow Chapman Dixon Emslie Grant Holloway Kemp McKenzie Palmer Rutherford Sinclair Turner-Hall",
    ),
    "indian": _pool(
        "Ashwin Kiran Yashveer Pranav Nikhil Rohan Suhail Imraan Thivesh Kavir Arjun Dhiren Vikesh Yusuf"
        " Zaheer Sashen Keshav",
        "Priya Nisha Kavitha Shreya Yashika Fathima Ayesha Saiuri Tanvi Anjali Diya Kimeshree Nabeela"
        " Reshma Trisha Zahra",
        "Naidoo Govender Pillay Moodley Reddy Naicker Chetty Singh Maharaj Padayachee Ramdass Essop Vawda"
        " Patel Mohamed Ebrahim Kara Bhana Rajkumar Sewpersad",
    ),
    "cape": _pool(
        "Ashraf Riedwaan Clinton Faizel Juanito Keanan Marlin Nazeem Shaun Tashreeq Waleed Zaid Denzil"
        " Earl Ricardo",
        "Chantal Fatima Candice Nuraan Shireen Tasneem Bianca Robin Celeste Gadija Lameez Zulfa Charmaine"
        " Monique",
        "Adams Jacobs Davids Abrahams Petersen September Isaacs Hendricks Arendse Fortuin Salie Gamiet"
        " Hartzenberg Cupido Williams Solomons Samsodien Titus Goliath Plaatjies",
    ),
}
ABROAD: Mapping[str, Pool] = {
    "ZIM": _pool(
        "Tendai Tatenda Farai Kudzai Simba",
        "Rudo Chipo Tariro Nyasha",
        "Moyo Chirwa Mutasa Gumbo Shumba",
    ),
    "BOT": _pool(
        "Kago Thato Mpho Pako",
        "Lorato Bame Wame Kesego",
        "Kgafela Seretse Molosi Tshukudu Masire",
    ),
    "NAM": _pool(
        "Tangeni Johannes Uaaka Ndapewa",
        "Selma Ndeshi Maria Tuli",
        "Shikongo Nangolo Haufiku Beukes",
    ),
    "LES": _pool(
        "Tumisang Thabo Lebo",
        "Mpho Liteboho",
        "Lerotholi Ramaqabe Phafane",
    ),
    "ZAM": _pool(
        "Chanda Mwila Bwalya",
        "Mutinta Natasha",
        "Banda Mwansa Zulu Tembo",
    ),
    "MOZ": _pool(
        "Domingos Nelson Elias",
        "Graça Celina",
        "Macuácua Nhantumbo Sitoe Tembe",
    ),
}
LANGUAGES: Mapping[str, Mapping[str, int]] = {
    "ECA": {"xhosa": 60, "afrikaans": 14, "english": 14, "cape": 8, "indian": 4},
    "FST": {"sotho": 55, "afrikaans": 27, "tswana": 8, "english": 6, "zulu": 4},
    "GAU": {
        **{"zulu": 22, "sotho": 15, "afrikaans": 16, "english": 14, "indian": 10, "tswana": 8},
        **{"pedi": 7, "tsonga": 4, "venda": 2, "cape": 2},
    },
    "KZN": {"zulu": 54, "indian": 26, "english": 14, "afrikaans": 4, "xhosa": 2},
    "LIM": {"pedi": 46, "venda": 22, "tsonga": 22, "afrikaans": 10},
    "MPU": {"swati": 48, "zulu": 20, "tsonga": 10, "pedi": 8, "afrikaans": 14},
    "NWE": {"tswana": 66, "afrikaans": 22, "sotho": 8, "english": 4},
    "NCA": {"tswana": 32, "afrikaans": 36, "cape": 26, "xhosa": 6},
    "WCA": {"cape": 30, "afrikaans": 26, "xhosa": 22, "english": 18, "indian": 4},
}
"""The pools of names in each region, by the region's code, with their shares in a hundred."""
