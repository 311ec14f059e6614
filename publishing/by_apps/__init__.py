"""How people stand behind what their AI apps make public: they are asked, they press themselves, or they are told."""
